// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simgrid/forward.h>

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/formats/platform.hpp"

namespace epochcast::sim {

/// A platform in SimGrid: every device is a host, every node a zone, joined by links.
///
/// SimGrid keeps one engine per process, so there can be one Cluster per process; fork for more.
/// The network model is CM02 without cross traffic or TCP windows: a message takes the sum of its
/// route's latencies plus bytes / bandwidth, and concurrent messages share a link equally.
/// Latencies in SimGrid are zero; Messages waits for them before it starts a transfer. With SimGrid
/// 3.32's own latencies, messages would share links in inverse proportion to the latencies of their
/// routes, and of two transfers that start at the same time the second could miss a link of its
/// route (System::enable_var() marks only the first link of a route as changed).
///
/// If the platform has costs of messages, their latency replaces that of the links from the device
/// to the network, of the shortest route between two nodes, and of the links to the other device.
/// Their bandwidth bounds each message (by Messages), not the links that messages share.
class Cluster {
 public:
  /// Builds the first `nodes` nodes (and, in topologies with fixed positions, the switches and
  /// empty places of all others). For a platform that names an XML file, loads that instead.
  /// `has_channels`: with channel_host()s of their own where these differ.
  Cluster(const Platform& platform, int nodes, bool has_channels = false);

  /// The host of a device. `device` counts all devices of the node, in the order of the platform
  /// file.
  [[nodiscard]] simgrid::s4u::Host* host(int node, int device) const;

  /// The host from which a library like NCCL sends, which uses all NVLinks of a device and all
  /// ports of its node at once. The device's own host where its links are the same.
  [[nodiscard]] simgrid::s4u::Host* channel_host(int node, int device) const;

  /// Costs of messages between devices of these nodes; between_ends() for two nodes with different
  /// costs. Null if the platform has none.
  [[nodiscard]] const MessageCosts* messages_between(int node, int other) const;
  /// Costs of messages between this node and others of its kind; null as above.
  [[nodiscard]] const MessageCosts* messages_out_of(int node) const;

  /// The latency and the bandwidth limit of messages from one host to another.
  struct Route {
    double latency_s = 0;  ///< of links, without the part that `messages` contains
    const MessageCosts* messages = nullptr;  ///< null: not measured

    /// The bandwidth limit of a single message. Infinite if unknown.
    [[nodiscard]] double bytes_per_s(double bytes) const {
      return messages == nullptr ? std::numeric_limits<double>::infinity()
                                 : messages->regime(bytes).bytes_per_s;
    }
    [[nodiscard]] double latency_for_s(double bytes) const {
      return latency_s + (messages == nullptr ? 0 : messages->regime(bytes).latency_s);
    }
  };
  /// The route between hosts on these nodes.
  [[nodiscard]] Route route(const simgrid::s4u::Host* from,
                            int from_node,
                            const simgrid::s4u::Host* to,
                            int to_node) const;

  /// Whether messages inside a node use links of that node only. False (unknown) for XML files.
  [[nodiscard]] bool has_separate_nodes() const { return has_separate_nodes_; }

  /// Runs `program` as the first actor of the simulation, until nothing is left to do. Every actor
  /// has a stack of so many KiB.
  void run(const std::function<void()>& program, int stack_kib = 256);

 private:
  void build(const Platform& platform, int nodes, bool has_channels);
  /// The common properties of a group's nodes.
  struct Kind {
    std::optional<Interconnect> inside;   ///< absent: a single device
    std::optional<MessageCosts> between;  ///< to and from other nodes
    double cables_s = 0;  ///< latency of half of the fewest cables that join two nodes
    [[nodiscard]] double egress_latency_s() const;  ///< latency from a device to the network
  };
  [[nodiscard]] const Kind& kind(int node) const;

  std::vector<std::vector<simgrid::s4u::Host*>> hosts_;          ///< by node, by device
  std::vector<std::vector<simgrid::s4u::Host*>> channel_hosts_;  ///< the same; none: as hosts_
  std::vector<std::shared_ptr<const Kind>> kinds_;               ///< by node
  /// Costs of messages between nodes of two kinds, cached.
  mutable std::map<std::pair<const Kind*, const Kind*>, MessageCosts> mixed_;
  bool has_separate_nodes_ = true;
};

}  // namespace epochcast::sim
