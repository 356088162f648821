// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/schedule.hpp"

namespace epochcast {

/// MultiTree (Huang et al., ISCA 2021): a tree for each rank, rooted there and grown along free
/// links, sums 1/P of the payload towards its root and then broadcasts the sum. The trees of a time
/// step share no link, so transfers of a step never wait for each other.
///
/// Links are those of nodes on a switch: in a time step every rank sends one block to a rank of its
/// node and receives one, and every node sends one block to another node and receives one. M nodes
/// of k ranks need max(k·(M-1), M·(k-1)) steps and fewer than k more, while a ring of all ranks
/// needs M·k - 1; a node's link carries (M-1)/M of the payload in each direction and phase.
class MultiTree : public Schedule {
 public:
  /// Trees have P·(P-1) edges, each a message in both phases: 512 ranks take some ten seconds to
  /// simulate, 1,000 more than a minute.
  static constexpr int kMostRanks = 512;

  /// Throws a UserError for more than kMostRanks ranks, std::invalid_argument for none.
  explicit MultiTree(const std::vector<int>& node_of_rank);

  [[nodiscard]] int ranks() const override { return static_cast<int>(edges_.size()); }
  [[nodiscard]] std::int64_t divisions() const override { return ranks(); }
  /// Twice the time steps: towards the roots in reverse, then away from them.
  [[nodiscard]] std::int64_t rounds(int /*rank*/) const override { return 2 * steps_; }
  [[nodiscard]] Round round(int rank, std::int64_t index) const override;

  /// Time steps in which the trees have grown.
  [[nodiscard]] std::int64_t steps() const { return steps_; }

 private:
  /// An edge that a tree gains in a time step, seen from one of its two ends.
  struct Edge {
    std::int32_t step = 0;
    std::int32_t tree = 0;
    std::int32_t peer = 0;
    bool is_parent = false;  ///< this end is the one closer to the root
  };

  std::int64_t steps_ = 0;
  std::vector<std::vector<Edge>> edges_;  ///< by rank, in the order of their steps
};

}  // namespace epochcast
