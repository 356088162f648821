// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/ranks_by_node.hpp"
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

  [[nodiscard]] int ranks() const override { return by_node_.ranks(); }
  [[nodiscard]] std::int64_t divisions() const override;
  [[nodiscard]] std::int64_t rounds(int rank) const override;
  [[nodiscard]] Round round(int rank, std::int64_t index) const override;
  /// The rings in and across the nodes, reduce-scatter and all-gather apart.
  [[nodiscard]] std::vector<RepeatedRounds> repeated() const override;

 private:
  [[nodiscard]] int nodes() const { return by_node_.nodes(); }
  [[nodiscard]] Round sharded_round(int rank, std::int64_t index) const;
  [[nodiscard]] Round led_round(int rank, std::int64_t index) const;
  /// One round along the tree of the rank's node: `arrival` adds upwards, and overwrites downwards.
  [[nodiscard]] Round tree_round(int rank, ActionKind arrival, bool is_with_children) const;

  RanksByNode by_node_;
  bool is_even_;  ///< every node has the same number of ranks
};

}  // namespace epochcast
