// SPDX-License-Identifier: Apache-2.0
#include "collectives/all_gather.hpp"

#include <algorithm>

#include "collectives/checks.hpp"

namespace epochcast {
namespace {

/// Adds transfers of `count` units from `begin` on, modulo the number of units.
void add(Round& round, ActionKind kind, int peer, int begin, int count, int ranks) {
  const int straight = std::min(count, ranks - begin);
  round.push_back({kind, peer, {.begin = begin, .end = begin + straight}});
  if (straight < count) round.push_back({kind, peer, {.begin = 0, .end = count - straight}});
}

}  // namespace

BruckAllGather::BruckAllGather(int ranks) : ranks_(checked_ranks(ranks)) {}

std::int64_t BruckAllGather::rounds(int /*rank*/) const {
  std::int64_t rounds = 0;
  for (std::int64_t known = 1; known < ranks_; known *= 2) ++rounds;
  return rounds;
}

Round BruckAllGather::round(int rank, std::int64_t index) const {
  const int known = 1 << index;  // units from `rank` on
  const int count = std::min(known, ranks_ - known);
  const int to = (rank - known + ranks_) % ranks_;
  const int from = (rank + known) % ranks_;
  Round round;
  add(round, ActionKind::send, to, rank, count, ranks_);
  add(round, ActionKind::receive, from, from, count, ranks_);
  return round;
}

}  // namespace epochcast
