// SPDX-License-Identifier: Apache-2.0
#include "collectives/ring.hpp"

#include "collectives/checks.hpp"
#include "collectives/ring_step.hpp"

namespace epochcast {

Ring::Ring(int ranks) : ranks_(checked_ranks(ranks)) {}

std::int64_t Ring::rounds(int /*rank*/) const { return 2 * (std::int64_t{ranks_} - 1); }

Round Ring::round(int rank, std::int64_t index) const {
  const RingPlace place = place_in_rank_order(rank, ranks_);
  const std::int64_t steps = ranks_ - 1;
  if (index < steps) return ring_reduce_scatter(place, RingBlocks{}, index);
  return ring_all_gather(place, RingBlocks{}, index - steps);
}

std::vector<RepeatedRounds> Ring::repeated() const {
  if (ranks_ == 1) return {};
  const std::int64_t steps = ranks_ - 1;
  return {{.begin = 0, .end = steps, .period = 1}, {.begin = steps, .end = 2 * steps, .period = 1}};
}

}  // namespace epochcast
