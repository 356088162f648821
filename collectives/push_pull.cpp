// SPDX-License-Identifier: Apache-2.0
#include "collectives/push_pull.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "collectives/all_gather.hpp"
#include "collectives/placed.hpp"
#include "collectives/reduce_scatter.hpp"

namespace epochcast {
namespace {

/// Each of `workers` workers on a node of its own.
std::vector<int> apart(int workers) {
  if (workers < 1) throw std::invalid_argument("push-pull needs at least one worker");
  std::vector<int> nodes(static_cast<std::size_t>(workers));
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

}  // namespace

PushPull::PushPull(int workers, int servers, std::int64_t partitions)
    : PushPull(apart(workers), servers, partitions) {}

PushPull::PushPull(const std::vector<int>& node_of_worker, int servers, std::int64_t partitions)
    : by_node_(node_of_worker), servers_(servers), partitions_(partitions) {
  if (servers < 1) throw std::invalid_argument("push-pull needs at least one summation server");
  if (partitions < 1) throw std::invalid_argument("push-pull needs at least one partition");
  for (int node = 0; node < by_node_.nodes(); ++node) {
    units_ = std::lcm(units_, std::int64_t{by_node_.size_of(node)});
  }
}

std::int64_t PushPull::partitions_for(std::int64_t bytes, std::int64_t partition_bytes) {
  if (partition_bytes < 1) throw std::invalid_argument("a partition needs at least one byte");
  return std::max<std::int64_t>(1, (bytes + partition_bytes - 1) / partition_bytes);
}

std::int64_t PushPull::rounds(int rank) const {
  const std::int64_t rows = (partitions_ + servers_ - 1) / servers_;
  if (rank >= workers()) return rows + 1;
  return rows + std::int64_t{2} * by_node_.size_of(by_node_.node_of(rank)) - 1;
}

Round PushPull::round(int rank, std::int64_t index) const {
  return rank < workers() ? worker_round(rank, index) : server_round(rank - workers(), index);
}

std::vector<RepeatedRounds> PushPull::repeated() const {
  const std::int64_t full_rows = partitions_ / servers_;
  const std::int64_t begin = 2 * by_node_.largest() - 1;  // rows are in all stages from here on
  if (full_rows <= begin) return {};
  return {{.begin = begin, .end = full_rows, .period = 1}};
}

Block PushPull::partitions_of(std::int64_t row) const {
  if (row < 0 || row * servers_ >= partitions_) return {};
  return {row * servers_, std::min(partitions_, (row + 1) * servers_)};
}

Block PushPull::part_of(std::int64_t partition, int node, int place) const {
  const std::int64_t size = units_ / by_node_.size_of(node);
  const std::int64_t begin = partition * units_ + place * size;
  return {begin, begin + size};
}

void PushPull::add_ring(
    Round& round, int worker, std::int64_t row, std::int64_t step, bool scatters) const {
  const int node = by_node_.node_of(worker);
  const int place = by_node_.place_of(worker);
  const Parts parts = Parts::equal(by_node_.size_of(node), units_ / by_node_.size_of(node));
  const Round ring = scatters ? RingReduceScatter(parts).round(place, step)
                              : RingAllGather(parts).round(place, step);
  const auto in_node = [&](int other) { return by_node_.member(node, other); };
  const Block partitions = partitions_of(row);
  for (std::int64_t i = partitions.begin; i < partitions.end; ++i) {
    const Round moved = placed(ring, in_node, i * units_);
    round.insert(round.end(), moved.begin(), moved.end());
  }
}

Round PushPull::worker_round(int worker, std::int64_t index) const {
  const int node = by_node_.node_of(worker);
  const int place = by_node_.place_of(worker);
  const int steps = by_node_.size_of(node) - 1;
  const auto server_of = [&](std::int64_t i) { return workers() + static_cast<int>(i % servers_); };
  const Block pushed = partitions_of(index - steps);
  const Block pulled = partitions_of(index - steps - 1);

  Round round;
  for (int step = 0; step < steps; ++step) add_ring(round, worker, index - step, step, true);
  for (std::int64_t i = pushed.begin; i < pushed.end; ++i)
    round.push_back({ActionKind::send, server_of(i), part_of(i, node, place)});
  for (std::int64_t i = pulled.begin; i < pulled.end; ++i)
    round.push_back({ActionKind::receive, server_of(i), part_of(i, node, place)});
  for (int step = 0; step < steps; ++step)
    add_ring(round, worker, index - steps - 2 - step, step, false);
  return round;
}

Round PushPull::server_round(int server, std::int64_t index) const {
  Round round;
  const std::int64_t summed = index * servers_ + server;
  const std::int64_t returned = summed - servers_;
  const auto add = [&](std::int64_t partition, bool sends) {
    if (partition < 0 || partition >= partitions_) return;
    for (int position = 0; position < workers(); ++position) {  // the first node overwrites
      const int worker = by_node_.at(position);
      const int node = by_node_.node_of(worker);
      const ActionKind arrival = node == 0 ? ActionKind::receive : ActionKind::receive_add;
      round.push_back({sends ? ActionKind::send : arrival,
                       worker,
                       part_of(partition, node, by_node_.place_of(worker))});
    }
  };
  add(summed, false);
  add(returned, true);
  return round;
}

}  // namespace epochcast
