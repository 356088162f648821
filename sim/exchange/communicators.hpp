// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/fabric.hpp"
#include "sim/exchange/interference.hpp"
#include "sim/exchange/worker_layout.hpp"

namespace epochcast::sim {

/// The communicators of a job: of all workers, of each node, and those that the program makes.
/// They stay until the end. Their ids count from 0.
class Communicators {
 public:
  Communicators(const WorkerLayout& layout, const AllReduceChoice& all_reduce);

  /// That of these ranks and this all-reduce, made if it is new.
  [[nodiscard]] const Communicator& find(std::vector<int> ranks, const AllReduceChoice& all_reduce);
  [[nodiscard]] const Communicator& world() const { return known_.front()->communicator; }
  [[nodiscard]] const Communicator& node_of(int rank) const {
    return *nodes_[static_cast<std::size_t>(rank)];
  }

  /// The links that messages among the members may cross.
  [[nodiscard]] const Footprint& footprint(const Communicator& among) const {
    return known_[static_cast<std::size_t>(among.id)]->footprint;
  }

 private:
  struct Known {
    Communicator communicator;
    Footprint footprint;
  };

  const WorkerLayout& layout_;
  std::vector<std::unique_ptr<Known>> known_;                      ///< by id
  std::unordered_map<int, std::vector<const Known*>> known_from_;  ///< by their first rank
  std::vector<const Communicator*> nodes_;                         ///< by rank
};

}  // namespace epochcast::sim
