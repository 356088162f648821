// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simgrid/forward.h>

#include <cstddef>
#include <vector>

#include "core/fabric.hpp"
#include "sim/exchange/interference.hpp"
#include "sim/platform/cluster.hpp"

namespace epochcast::sim {

/// The workers of a job on a cluster: their hosts, and the network between them.
class WorkerLayout {
 public:
  WorkerLayout(Cluster& cluster, std::vector<WorkerInfo> workers);

  [[nodiscard]] const std::vector<WorkerInfo>& workers() const { return workers_; }
  [[nodiscard]] const WorkerInfo& worker(int rank) const {
    return workers_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] simgrid::s4u::Host* host(int rank) const {
    return hosts_[static_cast<std::size_t>(rank)];
  }
  /// Up to the last one with a worker.
  [[nodiscard]] std::size_t node_count() const { return node_count_; }

  /// From which the worker's messages leave if a library uses all links at once (MessageTransport).
  [[nodiscard]] simgrid::s4u::Host* channel_host(int rank) const {
    return cluster_.channel_host(worker(rank).node, worker(rank).device);
  }

  [[nodiscard]] Cluster::Route route(int from, int to) const;
  /// The links of that route, in their direction.
  [[nodiscard]] std::vector<simgrid::s4u::Link*> links(int from, int to) const;
  /// Between channel_host()s.
  [[nodiscard]] Cluster::Route channel_route(int from, int to) const;
  [[nodiscard]] Traffic traffic(int from, int to, double bytes) const;
  [[nodiscard]] Footprint footprint(const std::vector<int>& ranks) const;
  /// Costs of messages among these ranks; null if the platform has none.
  [[nodiscard]] const MessageCosts* message_costs(const std::vector<int>& ranks) const;

 private:
  Cluster& cluster_;
  std::vector<WorkerInfo> workers_;
  std::vector<simgrid::s4u::Host*> hosts_;
  std::size_t node_count_ = 0;
};

}  // namespace epochcast::sim
