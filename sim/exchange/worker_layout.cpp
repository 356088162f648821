// SPDX-License-Identifier: Apache-2.0
#include "sim/exchange/worker_layout.hpp"

#include <algorithm>
#include <set>
#include <simgrid/s4u/Host.hpp>
#include <utility>

namespace epochcast::sim {

WorkerLayout::WorkerLayout(Cluster& cluster, std::vector<WorkerInfo> workers)
    : cluster_(cluster), workers_(std::move(workers)) {
  hosts_.reserve(workers_.size());
  for (const WorkerInfo& worker : workers_) {
    node_count_ = std::max(node_count_, static_cast<std::size_t>(worker.node) + 1);
    hosts_.push_back(cluster.host(worker.node, worker.device));
  }
}

Cluster::Route WorkerLayout::route(int from, int to) const {
  return cluster_.route(host(from), worker(from).node, host(to), worker(to).node);
}

std::vector<simgrid::s4u::Link*> WorkerLayout::links(int from, int to) const {
  std::vector<simgrid::s4u::Link*> links;
  host(from)->route_to(host(to), links, nullptr);
  return links;
}

Cluster::Route WorkerLayout::channel_route(int from, int to) const {
  return cluster_.route(channel_host(from), worker(from).node, channel_host(to), worker(to).node);
}

Traffic WorkerLayout::traffic(int from, int to, double bytes) const {
  const bool is_inside = worker(from).node == worker(to).node;
  return {.intra_node_bytes = is_inside ? bytes : 0, .inter_node_bytes = is_inside ? 0 : bytes};
}

Footprint WorkerLayout::footprint(const std::vector<int>& ranks) const {
  std::set<std::size_t> nodes;
  for (const int rank : ranks) nodes.insert(static_cast<std::size_t>(worker(rank).node));
  Footprint footprint{{nodes.begin(), nodes.end()}};
  // Servers are ranked last, wherever their nodes are: the last rank need not be on the last node.
  if (nodes.size() > 1 || !cluster_.has_separate_nodes()) footprint.slots.push_back(node_count_);
  return footprint;
}

const MessageCosts* WorkerLayout::message_costs(const std::vector<int>& ranks) const {
  const int first = worker(ranks.front()).node;
  const auto other = std::find_if(
      ranks.begin(), ranks.end(), [&](int rank) { return worker(rank).node != first; });
  return cluster_.messages_between(first, other == ranks.end() ? first : worker(*other).node);
}

}  // namespace epochcast::sim
