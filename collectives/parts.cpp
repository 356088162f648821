// SPDX-License-Identifier: Apache-2.0
#include "collectives/parts.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "collectives/checks.hpp"

namespace epochcast {

Parts Parts::equal(int ranks, std::int64_t units_each) {
  if (units_each < 1) throw std::invalid_argument("equal parts need at least one unit");
  return {checked_ranks(ranks), units_each};
}

Parts::Parts(std::span<const std::int64_t> sizes)
    : ranks_(checked_ranks(static_cast<int>(sizes.size()))) {
  std::int64_t unit = 0;
  for (const std::int64_t size : sizes) {
    if (size < 0) throw std::invalid_argument("a part has a negative size");
    unit = std::gcd(unit, size);
  }
  begin_.reserve(sizes.size() + 1);
  begin_.push_back(0);
  for (const std::int64_t size : sizes) {
    begin_.push_back(begin_.back() + size / std::max<std::int64_t>(1, unit));
  }

  bool are_rounded = begin_.back() >= ranks_;
  for (int rank = 0; rank < ranks_; ++rank) {
    are_rounded = are_rounded && begin_of(rank) == first_element(rank, ranks_, begin_.back());
  }
  if (are_rounded) *this = equal(ranks_);
}

std::int64_t Parts::divisions() const { return std::max<std::int64_t>(1, begin_of(ranks_)); }

int PartsSchedule::at_distance(int rank, std::int64_t distance) const {
  const std::int64_t other = (rank + distance) % ranks();
  return static_cast<int>(other < 0 ? other + ranks() : other);
}

void PartsSchedule::add(Round& round, ActionKind kind, int peer, int first, int count) const {
  const int end = std::min(first + count, ranks());
  for (const Block block : {parts_.range(first, end), parts_.range(0, first + count - end)}) {
    if (block.size() > 0) round.push_back({kind, peer, block});
  }
}

}  // namespace epochcast
