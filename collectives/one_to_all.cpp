// SPDX-License-Identifier: Apache-2.0
#include "collectives/one_to_all.hpp"

#include <bit>

#include "collectives/checks.hpp"

namespace epochcast {
namespace {

/// Children of a relative rank: relative + 2^i for each 2^i below its lowest set bit (below the
/// ranks, for the root).
int first_child_bit(int relative, int ranks) {
  if (relative > 0) return std::countr_zero(static_cast<unsigned>(relative));
  return static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1)));
}

}  // namespace

BinomialBroadcast::BinomialBroadcast(int ranks, int root)
    : ranks_(checked_ranks(ranks)), root_(root) {
  if (root < 0 || root >= ranks)
    throw std::invalid_argument("the root of a broadcast must be a rank");
}

std::int64_t BinomialBroadcast::rounds(int rank) const {
  const int relative = (rank - root_ + ranks_) % ranks_;
  std::int64_t count = relative == 0 ? 0 : 1;
  for (int bit = first_child_bit(relative, ranks_) - 1; bit >= 0; --bit) {
    if (relative + (1 << bit) < ranks_) ++count;
  }
  return count;
}

Round BinomialBroadcast::round(int rank, std::int64_t index) const {
  const int relative = (rank - root_ + ranks_) % ranks_;
  if (relative != 0) {
    if (index == 0) {
      const int parent = relative & (relative - 1);
      return {Action{ActionKind::receive, actual(parent), {0, 1}}};
    }
    --index;
  }
  for (int bit = first_child_bit(relative, ranks_) - 1; bit >= 0; --bit) {
    const int child = relative + (1 << bit);
    if (child < ranks_ && index-- == 0) return {Action{ActionKind::send, actual(child), {0, 1}}};
  }
  return {};
}

LinearGather::LinearGather(const std::vector<std::int64_t>& sizes, int root)
    : begin_{0}, root_(root) {
  for (const std::int64_t size : sizes) begin_.push_back(begin_.back() + size);
  if (root < 0 || root >= static_cast<int>(sizes.size()))
    throw std::invalid_argument("the root of a gather must be a rank");
}

Round LinearGather::round(int rank, std::int64_t) const {
  const auto part = [this](int of) {
    return Block{begin_[static_cast<std::size_t>(of)], begin_[static_cast<std::size_t>(of) + 1]};
  };
  if (rank != root_) return {Action{ActionKind::send, root_, part(rank)}};
  Round all;
  for (int other = 0; other < ranks(); ++other) {
    if (other != root_) all.push_back({ActionKind::receive, other, part(other)});
  }
  return all;
}

}  // namespace epochcast
