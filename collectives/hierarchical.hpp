// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/schedule.hpp"

namespace epochcast {

/// All-reduce in two levels, inside nodes and across them.
///
/// Nodes with equally many ranks R (BlueConnect: Cho et al., MLSys 2019): ring reduce-scatter in
/// the node, then for each of the R shards a ring all-reduce across the nodes among the ranks that
/// hold it, then ring all-gather in the node. Every rank takes part in the exchange across nodes,
/// with 1/R of the payload.
///
/// Nodes with different numbers of ranks: reduce to the node's first rank up a BalancedTree, ring
/// all-reduce of the whole payload over these leaders, broadcast down the same tree. The others
/// have empty rounds while the leaders exchange.
class Hierarchical : public Schedule {
 public:
  /// `node_of_rank`: any number per node. Throws std::invalid_argument when empty.
  explicit Hierarchical(const std::vector<int>& node_of_rank);

  [[nodiscard]] int ranks() const override;
  [[nodiscard]] std::int64_t divisions() const override;
  [[nodiscard]] std::int64_t rounds(int rank) const override;
  [[nodiscard]] Round round(int rank, std::int64_t index) const override;
  /// The rings in and across the nodes, reduce-scatter and all-gather apart.
  [[nodiscard]] std::vector<RepeatedRounds> repeated() const override;

 private:
  [[nodiscard]] int nodes() const { return static_cast<int>(begin_.size()) - 1; }
  [[nodiscard]] int node_size(int node) const;
  [[nodiscard]] int member(int node, int place) const;
  [[nodiscard]] Round sharded_round(int rank, std::int64_t index) const;
  [[nodiscard]] Round led_round(int rank, std::int64_t index) const;
  /// One round along the tree of the rank's node: `arrival` adds upwards, and overwrites downwards.
  [[nodiscard]] Round tree_round(int rank, ActionKind arrival, bool is_with_children) const;

  std::vector<int> node_;     ///< of a rank, in order of first appearance
  std::vector<int> place_;    ///< of a rank among the ranks of its node
  std::vector<int> members_;  ///< ranks, node by node
  std::vector<int> begin_;    ///< of a node in members_, and the end
  bool is_even_ = true;       ///< every node has the same number of ranks
};

}  // namespace epochcast
