// SPDX-License-Identifier: Apache-2.0
#include "collectives/hierarchical.hpp"

#include <unordered_map>

#include "collectives/checks.hpp"
#include "collectives/placed.hpp"
#include "collectives/ring.hpp"
#include "collectives/tree.hpp"

namespace epochcast {
namespace {

/// Of a group that reduces to leaders: receive from children, send to the parent, and the same
/// downwards.
constexpr std::int64_t kTreeRounds = 2;

}  // namespace

Hierarchical::Hierarchical(const std::vector<int>& node_of_rank) {
  const auto ranks = static_cast<std::size_t>(checked_ranks(static_cast<int>(node_of_rank.size())));
  std::unordered_map<int, int> index_of_node;
  std::vector<int> sizes;
  node_.reserve(ranks);
  place_.reserve(ranks);
  for (const int name : node_of_rank) {
    const auto found = index_of_node.try_emplace(name, static_cast<int>(sizes.size()));
    if (found.second) sizes.push_back(0);
    const int node = found.first->second;
    node_.push_back(node);
    place_.push_back(sizes[static_cast<std::size_t>(node)]++);
  }

  begin_.push_back(0);
  for (const int size : sizes) {
    begin_.push_back(begin_.back() + size);
    is_even_ = is_even_ && size == sizes.front();
  }
  members_.resize(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const int slot = begin_[static_cast<std::size_t>(node_[rank])] + place_[rank];
    members_[static_cast<std::size_t>(slot)] = static_cast<int>(rank);
  }
}

int Hierarchical::ranks() const { return static_cast<int>(node_.size()); }

std::int64_t Hierarchical::divisions() const { return is_even_ ? ranks() : nodes(); }

int Hierarchical::node_size(int node) const {
  const auto i = static_cast<std::size_t>(node);
  return begin_[i + 1] - begin_[i];
}

int Hierarchical::member(int node, int place) const {
  const int slot = begin_[static_cast<std::size_t>(node)] + place;
  return members_[static_cast<std::size_t>(slot)];
}

std::int64_t Hierarchical::rounds(int /*rank*/) const {
  const std::int64_t across = nodes() - 1;
  const std::int64_t in_node = is_even_ ? node_size(0) - 1 : kTreeRounds;
  return 2 * (in_node + across);
}

Round Hierarchical::round(int rank, std::int64_t index) const {
  return is_even_ ? sharded_round(rank, index) : led_round(rank, index);
}

std::vector<RepeatedRounds> Hierarchical::repeated() const {
  const std::int64_t in_node = node_size(0) - 1;
  const std::int64_t across = nodes() - 1;
  std::vector<RepeatedRounds> runs;
  std::int64_t begin = 0;
  const auto add_run = [&](std::int64_t length) {
    if (length > 0) runs.push_back({.begin = begin, .end = begin + length, .period = 1});
    begin += length;
  };
  if (is_even_) {
    for (const std::int64_t length : {in_node, across, across, in_node}) add_run(length);
  } else {
    begin = kTreeRounds;
    for (const std::int64_t length : {across, across}) add_run(length);
  }
  return runs;
}

Round Hierarchical::sharded_round(int rank, std::int64_t index) const {
  const int node = node_[static_cast<std::size_t>(rank)];
  const int place = place_[static_cast<std::size_t>(rank)];
  const int size = node_size(node);
  const std::int64_t in_node = size - 1;
  const std::int64_t across = 2 * (std::int64_t{nodes()} - 1);
  const auto in_this_node = [&](int other) { return member(node, other); };
  const auto at_this_place = [&](int other) { return member(other, place); };
  if (index < in_node) {
    const RingReduceScatter scatter(Parts::equal(size, nodes()));
    return placed(scatter.round(place, index), in_this_node);
  }
  if (index < in_node + across) {
    const std::int64_t shard_begin = std::int64_t{place} * nodes();
    return placed(Ring(nodes()).round(node, index - in_node), at_this_place, shard_begin);
  }
  const RingAllGather gather(Parts::equal(size, nodes()));
  return placed(gather.round(place, index - in_node - across), in_this_node);
}

Round Hierarchical::led_round(int rank, std::int64_t index) const {
  const std::int64_t across = 2 * (std::int64_t{nodes()} - 1);
  const std::int64_t step = index - kTreeRounds;
  if (step < 0) return tree_round(rank, ActionKind::receive_add, index == 0);
  if (step >= across) return tree_round(rank, ActionKind::receive, step == across + 1);

  if (place_[static_cast<std::size_t>(rank)] != 0) return {};
  const auto leader = [&](int node) { return member(node, 0); };
  return placed(Ring(nodes()).round(node_[static_cast<std::size_t>(rank)], step), leader);
}

Round Hierarchical::tree_round(int rank, ActionKind arrival, bool is_with_children) const {
  const int node = node_[static_cast<std::size_t>(rank)];
  const int place = place_[static_cast<std::size_t>(rank)];
  const BalancedTree tree(node_size(node));
  const Block whole{0, nodes()};
  const bool is_up = arrival == ActionKind::receive_add;
  const ActionKind kind = is_up == is_with_children ? arrival : ActionKind::send;

  Round round;
  if (is_with_children) {
    for (const int child : tree.children(place)) {
      round.push_back({kind, member(node, child), whole});
    }
  } else if (place != 0) {
    round.push_back({kind, member(node, tree.parent(place)), whole});
  }
  return round;
}

}  // namespace epochcast
