// SPDX-License-Identifier: Apache-2.0
#include "collectives/double_binary_tree.hpp"

#include <algorithm>
#include <stdexcept>

namespace epochcast {

DoubleBinaryTree::DoubleBinaryTree(int ranks, std::int64_t segments)
    : ranks_(ranks), segments_(segments), trees_(ranks) {
  if (segments < 1) throw std::invalid_argument("a double binary tree needs at least one segment");
}

std::int64_t DoubleBinaryTree::segments_for(std::int64_t bytes) {
  const std::int64_t pair = 2 * kSegmentBytes;
  return std::max<std::int64_t>(1, (bytes + pair - 1) / pair);
}

std::int64_t DoubleBinaryTree::rounds(int /*rank*/) const {
  return ranks_ == 1 ? 0 : segments_ + 2 * std::int64_t{trees_.height()} - 1;
}

Round DoubleBinaryTree::round(int rank, std::int64_t index) const {
  Round round;
  add_tree(0, rank, index, round);
  add_tree(1, rank, index, round);
  return round;
}

std::vector<RepeatedRounds> DoubleBinaryTree::repeated() const {
  const std::int64_t begin = 2 * std::int64_t{trees_.height()} - 1;
  if (ranks_ == 1 || begin >= segments_) return {};
  return {{.begin = begin, .end = segments_, .period = 1}};
}

void DoubleBinaryTree::add_tree(int tree, int rank, std::int64_t index, Round& round) const {
  const auto add = [&](ActionKind kind, int other, std::int64_t segment) {
    if (segment < 0 || segment >= segments_) return;
    const std::int64_t begin = tree * segments_ + segment;
    round.push_back({kind, other, Block{begin, begin + 1}});
  };

  const Ranks children = trees_.children(tree, rank);
  // The segment that goes to the children.
  const std::int64_t down = index - trees_.height() - trees_.depth_of(tree, rank);
  for (const int child : children) {
    add(ActionKind::receive_add, child, index - trees_.height_of(tree, child));
  }
  if (const int parent = trees_.parent(tree, rank); parent >= 0) {
    add(ActionKind::send, parent, index - trees_.height_of(tree, rank));
    add(ActionKind::receive, parent, down + 1);
  }
  for (const int child : children) add(ActionKind::send, child, down);
}

}  // namespace epochcast
