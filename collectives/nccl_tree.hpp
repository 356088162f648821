// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collectives/double_tree.hpp"
#include "collectives/ranks_by_node.hpp"
#include "collectives/schedule.hpp"

namespace epochcast {

/// NCCL's tree all-reduce: a chain of ranks reduces in each node, a DoubleTree of the chains' heads
/// between nodes, and results return the same way. Each tree has half of the payload, in segments.
///
/// Place c of a chain (0: the head) sends segment s to c - 1 in round s + C - c, with C the places
/// of the longest chain but its head. The head of node n sends it to its tree's parent in round s +
/// C + height(n). Downwards, place c of a node of depth d sends it in round s + C + H + d + c (H:
/// height of the tree).
class NcclTree : public Schedule {
 public:
  /// Throws std::invalid_argument when `node_of_rank` is empty or segments < 1.
  NcclTree(const std::vector<int>& node_of_rank,
           std::int64_t segments,
           const MessageTransport& transport = {});

  [[nodiscard]] int ranks() const override { return by_node_.ranks(); }
  [[nodiscard]] std::int64_t divisions() const override { return 2 * segments_; }
  /// segments + 2(C + H) - 1; 0 for one rank.
  [[nodiscard]] std::int64_t rounds(int rank) const override;
  [[nodiscard]] Round round(int rank, std::int64_t index) const override;
  /// The rounds in which every link of both trees carries a segment each way.
  [[nodiscard]] std::vector<RepeatedRounds> repeated() const override;
  [[nodiscard]] std::optional<MessageTransport> transport() const override { return transport_; }

 private:
  void add_tree(int tree, int rank, std::int64_t index, Round& round) const;
  /// Rounds from the first segment's start to its arrival at the roots.
  [[nodiscard]] int ascent() const { return chain_ + trees_.height(); }

  RanksByNode by_node_;
  std::int64_t segments_;
  MessageTransport transport_;
  DoubleTree trees_;  ///< of nodes
  int chain_;         ///< C
};

}  // namespace epochcast
