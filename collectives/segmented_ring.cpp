// SPDX-License-Identifier: Apache-2.0
#include "collectives/segmented_ring.hpp"

#include <algorithm>
#include <stdexcept>

#include "collectives/checks.hpp"
#include "collectives/ring.hpp"

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
  const std::int64_t steps = ranks_ - 1;
  if (index < phases_ * steps) return scatter_round(rank, index / steps, index % steps);
  const RingAllGather gather(Parts::equal(ranks_, phases_));
  return gather.round(rank, index - phases_ * steps);
}

Round SegmentedRing::scatter_round(int rank, std::int64_t phase, std::int64_t step) const {
  const RingReduceScatter scatter(Parts::equal(ranks_));
  Round round;
  for (const auto& [kind, peer, block] : scatter.round(rank, step)) {
    const std::int64_t segment = block.begin * phases_ + phase;
    round.push_back({kind, peer, {segment, segment + 1}});
  }
  return round;
}

std::vector<RepeatedRounds> SegmentedRing::repeated() const {
  if (ranks_ == 1) return {};
  const std::int64_t steps = ranks_ - 1;
  return {{.begin = 0, .end = phases_ * steps, .period = 1},
          {.begin = phases_ * steps, .end = (phases_ + 1) * steps, .period = 1}};
}

}  // namespace epochcast
