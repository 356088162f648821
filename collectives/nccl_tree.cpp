// SPDX-License-Identifier: Apache-2.0
#include "collectives/nccl_tree.hpp"

#include <stdexcept>

namespace epochcast {

NcclTree::NcclTree(const std::vector<int>& node_of_rank,
                   std::int64_t segments,
                   const MessageTransport& transport)
    : by_node_(node_of_rank),
      segments_(segments),
      transport_(transport),
      trees_(by_node_.nodes()),
      chain_(by_node_.largest() - 1) {
  if (segments < 1) throw std::invalid_argument("a tree needs at least one segment");
}

std::int64_t NcclTree::rounds(int /*rank*/) const {
  return ranks() == 1 ? 0 : segments_ + 2 * std::int64_t{ascent()} - 1;
}

Round NcclTree::round(int rank, std::int64_t index) const {
  Round round;
  add_tree(0, rank, index, round);
  add_tree(1, rank, index, round);
  return round;
}

std::vector<RepeatedRounds> NcclTree::repeated() const {
  const std::int64_t begin = 2 * std::int64_t{ascent()} - 1;
  if (ranks() == 1 || begin >= segments_) return {};
  return {{.begin = begin, .end = segments_, .period = 1}};
}

void NcclTree::add_tree(int tree, int rank, std::int64_t index, Round& round) const {
  const int node = by_node_.node_of(rank);
  const int place = by_node_.place_of(rank);
  const bool is_head = place == 0;
  const auto add = [&](ActionKind kind, int other, std::int64_t segment) {
    if (segment < 0 || segment >= segments_) return;
    const std::int64_t begin = tree * segments_ + segment;
    round.push_back({kind, other, Block{begin, begin + 1}});
  };
  const auto head = [&](int of) { return by_node_.member(of, 0); };

  std::optional<int> next;  // in the chain, away from the head
  if (place + 1 < by_node_.size_of(node)) next = by_node_.member(node, place + 1);
  const Ranks children = is_head ? trees_.children(tree, node) : Ranks{};
  // The segment that this rank sends downwards.
  const std::int64_t down = index - ascent() - trees_.depth_of(tree, node) - place;
  if (next) add(ActionKind::receive_add, *next, index - (chain_ - place - 1));
  for (const int child : children)
    add(ActionKind::receive_add, head(child), index - chain_ - trees_.height_of(tree, child));
  if (!is_head) {
    const int previous = by_node_.member(node, place - 1);
    add(ActionKind::send, previous, index - (chain_ - place));
    add(ActionKind::receive, previous, down + 1);
  } else if (const int parent = trees_.parent(tree, node); parent >= 0) {
    add(ActionKind::send, head(parent), index - chain_ - trees_.height_of(tree, node));
    add(ActionKind::receive, head(parent), down + 1);
  }
  for (const int child : children) add(ActionKind::send, head(child), down);
  if (next) add(ActionKind::send, *next, down);
}

}  // namespace epochcast
