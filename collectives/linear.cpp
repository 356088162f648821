// SPDX-License-Identifier: Apache-2.0
#include "collectives/linear.hpp"

#include "collectives/checks.hpp"

namespace epochcast {
namespace {

constexpr Block kWhole{0, 1};

}  // namespace

Linear::Linear(int ranks) : ranks_(checked_ranks(ranks)) {}

std::int64_t Linear::rounds(int rank) const {
  if (ranks_ == 1) return 0;
  return rank == 0 ? ranks_ : 2;
}

Round Linear::round(int rank, std::int64_t index) const {
  Round round;
  if (rank != 0) {
    round.push_back({index == 0 ? ActionKind::send : ActionKind::receive, 0, kWhole});
  } else if (index < ranks_ - 1) {
    const int peer = ranks_ - 1 - static_cast<int>(index);
    round.push_back({ActionKind::receive_add, peer, kWhole});
  } else {
    for (int peer = 1; peer < ranks_; ++peer) round.push_back({ActionKind::send, peer, kWhole});
  }
  return round;
}

}  // namespace epochcast
