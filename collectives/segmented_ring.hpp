// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/schedule.hpp"

namespace epochcast {

/// Ring all-reduce whose reduce-scatter goes round once per phase, with 1/phases of every block.
///
/// This is Open MPI's segmented ring (coll_base_allreduce.c, v4.1.x): messages of the
/// reduce-scatter stay near the segment size, the all-gather moves whole blocks. With one phase it
/// is the ring.
class SegmentedRing : public Schedule {
 public:
  /// The segment size of Open MPI up to 4.0 (coll_tuned_decision_fixed.c).
  static constexpr std::int64_t kSegmentBytes = 1 << 20;

  /// Throws std::invalid_argument when ranks < 1 or phases < 1.
  SegmentedRing(int ranks, std::int64_t phases);

  /// The number of phases: bytes / (ranks·segment), rounded as Open MPI does (half down).
  [[nodiscard]] static std::int64_t phases_for(int ranks,
                                               std::int64_t bytes,
                                               std::int64_t segment_bytes);

  [[nodiscard]] int ranks() const override { return ranks_; }
  [[nodiscard]] std::int64_t divisions() const override { return ranks_ * phases_; }
  [[nodiscard]] std::int64_t rounds(int rank) const override;
  [[nodiscard]] Round round(int rank, std::int64_t index) const override;
  /// All phases of the reduce-scatter in one run, and the all-gather.
  [[nodiscard]] std::vector<RepeatedRounds> repeated() const override;

 private:
  /// The reduce-scatter of the segments of a phase.
  [[nodiscard]] Round scatter_round(int rank, std::int64_t phase, std::int64_t step) const;

  int ranks_;
  std::int64_t phases_;
};

}  // namespace epochcast
