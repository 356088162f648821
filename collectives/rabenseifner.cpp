// SPDX-License-Identifier: Apache-2.0
#include "collectives/rabenseifner.hpp"

#include <bit>

#include "collectives/checks.hpp"

namespace epochcast {

Rabenseifner::Rabenseifner(int ranks)
    : ranks_(checked_ranks(ranks)),
      power_(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))),
      steps_(std::countr_zero(static_cast<unsigned>(power_))) {}

std::int64_t Rabenseifner::rounds(int /*rank*/) const {
  return 2 * steps_ + (power_ == ranks_ ? 0 : 3);
}

Round Rabenseifner::round(int rank, std::int64_t index) const {
  const int fold_rounds = power_ == ranks_ ? 0 : 2;
  if (index < fold_rounds) return fold(rank, index);
  const int step = static_cast<int>(index) - fold_rounds;
  if (step == 2 * steps_) return unfold(rank);
  if (step < steps_) return exchange(rank, step, true);
  return exchange(rank, 2 * steps_ - 1 - step, false);
}

Round Rabenseifner::fold(int rank, std::int64_t index) const {
  if (rank >= 2 * (ranks_ - power_)) return {};
  const Block low{0, power_ / 2};
  const Block high{power_ / 2, power_};
  const bool is_even = rank % 2 == 0;
  const int peer = is_even ? rank + 1 : rank - 1;
  if (index == 0) {
    return {Action{ActionKind::send, peer, is_even ? high : low},
            Action{ActionKind::receive_add, peer, is_even ? low : high}};
  }
  return {Action{is_even ? ActionKind::receive : ActionKind::send, peer, high}};
}

Round Rabenseifner::unfold(int rank) const {
  if (rank >= 2 * (ranks_ - power_)) return {};
  const bool is_even = rank % 2 == 0;
  return {Action{is_even ? ActionKind::send : ActionKind::receive,
                 is_even ? rank + 1 : rank - 1,
                 Block{0, power_}}};
}

Round Rabenseifner::exchange(int rank, int step, bool is_scatter) const {
  const int extra = ranks_ - power_;
  const bool is_folding = rank < 2 * extra;
  if (is_folding && rank % 2 == 1) return {};

  const int mine = is_folding ? rank / 2 : rank - extra;
  const int partner = mine ^ (1 << step);
  const int peer = partner < extra ? 2 * partner : partner + extra;

  // Each earlier step kept the low or the high half of the window, by one bit of the number.
  std::int64_t begin = 0;
  std::int64_t half = power_ / 2;
  for (int k = 0; k < step; ++k, half /= 2) {
    if ((mine >> k & 1) != 0) begin += half;
  }
  const Block low{begin, begin + half};
  const Block high{begin + half, begin + 2 * half};
  const bool keeps_high = (mine >> step & 1) != 0;
  const Block kept = keeps_high ? high : low;
  const Block given = keeps_high ? low : high;
  if (is_scatter) {
    return {Action{ActionKind::send, peer, given}, Action{ActionKind::receive_add, peer, kept}};
  }
  return {Action{ActionKind::send, peer, kept}, Action{ActionKind::receive, peer, given}};
}

}  // namespace epochcast
