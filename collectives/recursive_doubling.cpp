// SPDX-License-Identifier: Apache-2.0
#include "collectives/recursive_doubling.hpp"

#include <bit>

#include "collectives/checks.hpp"

namespace epochcast {
namespace {

constexpr Block kWhole{0, 1};

}  // namespace

RecursiveDoubling::RecursiveDoubling(int ranks)
    : ranks_(checked_ranks(ranks)),
      power_(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))),
      steps_(std::countr_zero(static_cast<unsigned>(power_))) {}

std::int64_t RecursiveDoubling::rounds(int /*rank*/) const {
  return steps_ + (power_ == ranks_ ? 0 : 2);
}

Round RecursiveDoubling::round(int rank, std::int64_t index) const {
  const int extra = ranks_ - power_;
  const bool is_folding = rank < 2 * extra;
  const bool sits_out = is_folding && rank % 2 == 0;
  const std::int64_t step = extra == 0 ? index : index - 1;

  if (step < 0) {
    if (!is_folding) return {};
    if (sits_out) return {Action{ActionKind::send, rank + 1, kWhole}};
    return {Action{ActionKind::receive_add, rank - 1, kWhole}};
  }
  if (step == steps_) {
    if (!is_folding) return {};
    if (sits_out) return {Action{ActionKind::receive, rank + 1, kWhole}};
    return {Action{ActionKind::send, rank - 1, kWhole}};
  }
  if (sits_out) return {};

  const int mine = is_folding ? rank / 2 : rank - extra;
  const int partner = mine ^ (1 << step);
  const int peer = partner < extra ? 2 * partner + 1 : partner + extra;
  return {Action{ActionKind::send, peer, kWhole}, Action{ActionKind::receive_add, peer, kWhole}};
}

}  // namespace epochcast
