// SPDX-License-Identifier: Apache-2.0
#include "collectives/double_binary_tree.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "collectives/checks.hpp"
#include "collectives/tree.hpp"

namespace epochcast {
namespace {

// Positions 1..size-1 form the in-order binary tree of a power of two, without the positions beyond
// size-1; position 0 sits above its root.

int lowest_bit(int position) { return position & -position; }

int parent_of(int position, int size) {
  const int bit = lowest_bit(position);
  const int without = position - bit;
  const int up = without | (2 * bit);
  return up < size ? up : without;
}

Ranks children_of(int position, int size) {
  Ranks children;
  if (position == 0) {
    if (size > 1) children.push_back(static_cast<int>(std::bit_floor(unsigned(size - 1))));
    return children;
  }
  const int half = lowest_bit(position) / 2;
  if (half == 0) return children;
  children.push_back(position - half);
  for (int offset = half; offset > 0; offset /= 2) {
    if (position + offset < size) {
      children.push_back(position + offset);
      break;
    }
  }
  return children;
}

int height_of(int position, int tree_height) {
  return position == 0 ? tree_height : std::countr_zero(static_cast<unsigned>(position));
}

int depth_of(int position, int size) {
  int depth = 0;
  for (; position != 0; position = parent_of(position, size)) ++depth;
  return depth;
}

}  // namespace

DoubleBinaryTree::DoubleBinaryTree(int ranks, std::int64_t segments)
    : ranks_(checked_ranks(ranks)),
      segments_(segments),
      height_(static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1)))) {
  if (segments < 1) throw std::invalid_argument("a double binary tree needs at least one segment");
}

std::int64_t DoubleBinaryTree::segments_for(std::int64_t bytes) {
  const std::int64_t pair = 2 * kSegmentBytes;
  return std::max<std::int64_t>(1, (bytes + pair - 1) / pair);
}

std::int64_t DoubleBinaryTree::rounds(int /*rank*/) const {
  return ranks_ == 1 ? 0 : segments_ + 2 * std::int64_t{height_} - 1;
}

Round DoubleBinaryTree::round(int rank, std::int64_t index) const {
  Round round;
  add_tree(0, rank, index, round);
  add_tree(1, rank, index, round);
  return round;
}

std::vector<RepeatedRounds> DoubleBinaryTree::repeated() const {
  const std::int64_t begin = 2 * std::int64_t{height_} - 1;
  if (ranks_ == 1 || begin >= segments_) return {};
  return {{.begin = begin, .end = segments_, .period = 1}};
}

int DoubleBinaryTree::position_of(int tree, int rank) const {
  if (tree == 0) return rank;
  if (ranks_ % 2 == 0) return ranks_ - 1 - rank;
  return (rank + ranks_ - 1) % ranks_;
}

int DoubleBinaryTree::rank_at(int tree, int position) const {
  if (tree == 0) return position;
  if (ranks_ % 2 == 0) return ranks_ - 1 - position;
  return (position + 1) % ranks_;
}

void DoubleBinaryTree::add_tree(int tree, int rank, std::int64_t index, Round& round) const {
  const int position = position_of(tree, rank);
  const auto add = [&](ActionKind kind, int other, std::int64_t segment) {
    if (segment < 0 || segment >= segments_) return;
    const std::int64_t begin = tree * segments_ + segment;
    round.push_back({kind, rank_at(tree, other), Block{begin, begin + 1}});
  };

  const Ranks children = children_of(position, ranks_);
  const int depth = depth_of(position, ranks_);
  const std::int64_t down = index - height_ - depth;  // the segment that goes to the children
  for (const int child : children) {
    add(ActionKind::receive_add, child, index - height_of(child, height_));
  }
  if (position != 0) {
    const int parent = parent_of(position, ranks_);
    add(ActionKind::send, parent, index - height_of(position, height_));
    add(ActionKind::receive, parent, down + 1);
  }
  for (const int child : children) add(ActionKind::send, child, down);
}

}  // namespace epochcast
