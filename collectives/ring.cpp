// SPDX-License-Identifier: Apache-2.0
#include "collectives/ring.hpp"

namespace epochcast {

Ring::Ring(int ranks) : scatter_(Parts::equal(ranks)), gather_(Parts::equal(ranks)) {}

std::int64_t Ring::rounds(int rank) const { return scatter_.rounds(rank) + gather_.rounds(rank); }

Round Ring::round(int rank, std::int64_t index) const {
  const std::int64_t steps = scatter_.rounds(rank);
  return index < steps ? scatter_.round(rank, index) : gather_.round(rank, index - steps);
}

std::vector<RepeatedRounds> Ring::repeated() const {
  if (ranks() == 1) return {};
  const std::int64_t steps = ranks() - 1;
  return {{.begin = 0, .end = steps, .period = 1}, {.begin = steps, .end = 2 * steps, .period = 1}};
}

}  // namespace epochcast
