// SPDX-License-Identifier: Apache-2.0
#include "collectives/hierarchical.hpp"

#include "collectives/placed.hpp"
#include "collectives/ring.hpp"
#include "collectives/tree.hpp"

namespace epochcast {
namespace {

/// Of a group that reduces to leaders: receive from children, send to the parent, and the same
/// downwards.
constexpr std::int64_t kTreeRounds = 2;

}  // namespace

Hierarchical::Hierarchical(const std::vector<int>& node_of_rank)
    : by_node_(node_of_rank), is_even_(by_node_.is_even()) {}

std::int64_t Hierarchical::divisions() const { return is_even_ ? ranks() : nodes(); }

std::int64_t Hierarchical::rounds(int /*rank*/) const {
  const std::int64_t across = nodes() - 1;
  const std::int64_t in_node = is_even_ ? by_node_.size_of(0) - 1 : kTreeRounds;
  return 2 * (in_node + across);
}

Round Hierarchical::round(int rank, std::int64_t index) const {
  return is_even_ ? sharded_round(rank, index) : led_round(rank, index);
}

std::vector<RepeatedRounds> Hierarchical::repeated() const {
  const std::int64_t in_node = by_node_.size_of(0) - 1;
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
  const int node = by_node_.node_of(rank);
  const int place = by_node_.place_of(rank);
  const int size = by_node_.size_of(node);
  const std::int64_t in_node = size - 1;
  const std::int64_t across = 2 * (std::int64_t{nodes()} - 1);
  const auto in_this_node = [&](int other) { return by_node_.member(node, other); };
  const auto at_this_place = [&](int other) { return by_node_.member(other, place); };
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

  if (by_node_.place_of(rank) != 0) return {};
  const auto leader = [&](int node) { return by_node_.member(node, 0); };
  return placed(Ring(nodes()).round(by_node_.node_of(rank), step), leader);
}

Round Hierarchical::tree_round(int rank, ActionKind arrival, bool is_with_children) const {
  const int node = by_node_.node_of(rank);
  const int place = by_node_.place_of(rank);
  const BalancedTree tree(by_node_.size_of(node));
  const Block whole{0, nodes()};
  const bool is_up = arrival == ActionKind::receive_add;
  const ActionKind kind = is_up == is_with_children ? arrival : ActionKind::send;

  Round round;
  if (is_with_children) {
    for (const int child : tree.children(place)) {
      round.push_back({kind, by_node_.member(node, child), whole});
    }
  } else if (place != 0) {
    round.push_back({kind, by_node_.member(node, tree.parent(place)), whole});
  }
  return round;
}

}  // namespace epochcast
