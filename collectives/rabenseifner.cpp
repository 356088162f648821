// SPDX-License-Identifier: Apache-2.0
#include "collectives/rabenseifner.hpp"

#include <bit>

#include "collectives/checks.hpp"
#include "collectives/placed.hpp"
#include "collectives/reduce_scatter.hpp"

namespace epochcast {
namespace {

int bits_reversed(int number, int bits) {
  int result = 0;
  for (int bit = 0; bit < bits; ++bit) result = result << 1 | (number >> bit & 1);
  return result;
}

}  // namespace

Rabenseifner::Rabenseifner(int ranks)
    : ranks_(checked_ranks(ranks)),
      power_(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))),
      steps_(std::countr_zero(static_cast<unsigned>(power_))),
      gather_(Parts::equal(power_)) {}

std::int64_t Rabenseifner::rounds(int /*rank*/) const {
  return 2 * steps_ + (power_ == ranks_ ? 0 : 3);
}

Round Rabenseifner::round(int rank, std::int64_t index) const {
  const int fold_rounds = power_ == ranks_ ? 0 : 2;
  if (index < fold_rounds) return fold(rank, index);
  const int step = static_cast<int>(index) - fold_rounds;
  if (step == 2 * steps_) return unfold(rank);
  return exchange(rank, step);
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

Round Rabenseifner::exchange(int rank, int step) const {
  const int extra = ranks_ - power_;
  const bool is_folding = rank < 2 * extra;
  if (is_folding && rank % 2 == 1) return {};

  const int number = is_folding ? rank / 2 : rank - extra;
  const int position = bits_reversed(number, steps_);
  const auto rank_at = [&](int other) {
    const int peer = bits_reversed(other, steps_);
    return peer < extra ? 2 * peer : peer + extra;
  };
  if (step >= steps_) return placed(gather_.round(position, step - steps_), rank_at);
  return placed(reversed(gather_.round(position, steps_ - 1 - step)), rank_at);
}

}  // namespace epochcast
