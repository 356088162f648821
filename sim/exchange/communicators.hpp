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
  /// `begin_with_barrier`: whether collectives take the layout's barrier_s(); if not, none.
  Communicators(const WorkerLayout& layout,
                const AllReduceChoice& all_reduce,
                bool begin_with_barrier);

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
  /// The time of the barrier at the begin of each collective.
  [[nodiscard]] double barrier_s(const Communicator& among) const {
    return known_[static_cast<std::size_t>(among.id)]->barrier_s;
  }

 private:
  struct Known {
    Communicator communicator;
    Footprint footprint;
    double barrier_s = 0;
  };

  const WorkerLayout& layout_;
  bool begin_with_barrier_;
  std::vector<std::unique_ptr<Known>> known_;                      ///< by id
  std::unordered_map<int, std::vector<const Known*>> known_from_;  ///< by their first rank
  std::vector<const Communicator*> nodes_;                         ///< by rank
};

}  // namespace epochcast::sim
