// SPDX-License-Identifier: Apache-2.0
#include "collectives/segmented_ring.hpp"

#include <algorithm>
#include <stdexcept>

#include "collectives/checks.hpp"
#include "collectives/ring_step.hpp"

namespace epochcast {

SegmentedRing::SegmentedRing(int ranks, std::int64_t phases)
    : ranks_(checked_ranks(ranks)), phases_(phases) {
  if (phases < 1) throw std::invalid_argument("a segmented ring needs at least one phase");
}

std::int64_t SegmentedRing::phases_for(int ranks, std::int64_t bytes, std::int64_t segment_bytes) {
  const std::int64_t per_phase = ranks * segment_bytes;
  const std::int64_t whole = bytes / per_phase;
  const std::int64_t rest = bytes % per_phase;
  return std::max<std::int64_t>(1, whole + (rest > per_phase / 2 ? 1 : 0));
}

std::int64_t SegmentedRing::rounds(int /*rank*/) const { return (phases_ + 1) * (ranks_ - 1); }

Round SegmentedRing::round(int rank, std::int64_t index) const {
  const RingPlace place = place_in_rank_order(rank, ranks_);
  const std::int64_t steps = ranks_ - 1;
  if (index < phases_ * steps) {
    const RingBlocks segments{.begin = index / steps, .stride = phases_, .length = 1};
    return ring_reduce_scatter(place, segments, index % steps);
  }
  const RingBlocks whole{.begin = 0, .stride = phases_, .length = phases_};
  return ring_all_gather(place, whole, index - phases_ * steps);
}

std::vector<RepeatedRounds> SegmentedRing::repeated() const {
  if (ranks_ == 1) return {};
  const std::int64_t steps = ranks_ - 1;
  return {{.begin = 0, .end = phases_ * steps, .period = 1},
          {.begin = phases_ * steps, .end = (phases_ + 1) * steps, .period = 1}};
}

}  // namespace epochcast
