// SPDX-License-Identifier: Apache-2.0
#include "collectives/double_tree.hpp"

#include <bit>

#include "collectives/checks.hpp"

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

}  // namespace

DoubleTree::DoubleTree(int size)
    : size_(checked_ranks(size)),
      height_(static_cast<int>(std::bit_width(static_cast<unsigned>(size - 1)))) {}

int DoubleTree::parent(int tree, int member) const {
  const int position = position_of(tree, member);
  return position == 0 ? -1 : member_at(tree, parent_of(position, size_));
}

Ranks DoubleTree::children(int tree, int member) const {
  const int position = position_of(tree, member);
  Ranks children;
  if (position == 0) {
    if (size_ > 1)
      children.push_back(member_at(tree, static_cast<int>(std::bit_floor(unsigned(size_ - 1)))));
    return children;
  }
  const int half = lowest_bit(position) / 2;
  if (half == 0) return children;
  children.push_back(member_at(tree, position - half));
  for (int offset = half; offset > 0; offset /= 2) {
    if (position + offset < size_) {
      children.push_back(member_at(tree, position + offset));
      break;
    }
  }
  return children;
}

int DoubleTree::height_of(int tree, int member) const {
  const int position = position_of(tree, member);
  return position == 0 ? height_ : std::countr_zero(static_cast<unsigned>(position));
}

int DoubleTree::depth_of(int tree, int member) const {
  int depth = 0;
  for (int position = position_of(tree, member); position != 0; ++depth)
    position = parent_of(position, size_);
  return depth;
}

int DoubleTree::position_of(int tree, int member) const {
  if (tree == 0) return member;
  if (size_ % 2 == 0) return size_ - 1 - member;
  return (member + size_ - 1) % size_;
}

int DoubleTree::member_at(int tree, int position) const {
  if (tree == 0) return position;
  if (size_ % 2 == 0) return size_ - 1 - position;
  return (position + 1) % size_;
}

}  // namespace epochcast
