// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/double_tree.hpp"
#include "collectives/schedule.hpp"

namespace epochcast {

/// The trees of DoubleTree, each reducing and broadcasting half of the payload in segments.
///
/// Segment s crosses the edge above rank v in round s + height(v) upwards, and the edges below v in
/// round s + H + depth(v) downwards (H: height of the tree). A rank thus sends and receives
/// different segments of both trees, up and down, in the same round; in the steady state a round
/// moves at most 4 segments into a rank and 4 out of it, which is the bandwidth bound of about 2·S
/// in all.
class DoubleBinaryTree : public Schedule {
 public:
  /// The segment size of `segments_for`.
  static constexpr std::int64_t kSegmentBytes = 262'144;

  /// `segments`: pieces per tree. Throws std::invalid_argument when ranks < 1 or segments < 1.
  DoubleBinaryTree(int ranks, std::int64_t segments);

  /// The number of segments of at most kSegmentBytes in half of the payload; at least one.
  [[nodiscard]] static std::int64_t segments_for(std::int64_t bytes);

  [[nodiscard]] int ranks() const override { return ranks_; }
  [[nodiscard]] std::int64_t divisions() const override { return 2 * segments_; }
  /// segments + 2H - 1, with H = ceil(log2 P); 0 for one rank.
  [[nodiscard]] std::int64_t rounds(int rank) const override;
  [[nodiscard]] Round round(int rank, std::int64_t index) const override;
  /// The rounds in which every edge of both trees carries a segment each way.
  [[nodiscard]] std::vector<RepeatedRounds> repeated() const override;

 private:
  void add_tree(int tree, int rank, std::int64_t index, Round& round) const;

  int ranks_;
  std::int64_t segments_;
  DoubleTree trees_;
};

}  // namespace epochcast
