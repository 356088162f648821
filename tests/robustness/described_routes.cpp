// SPDX-License-Identifier: Apache-2.0
#include "tests/robustness/described_routes.hpp"

#include <algorithm>
#include <cstdlib>

namespace epochcast::tests {
namespace {

const NodeGroup& group_of(const Platform& platform, int node) {
  auto group = platform.nodes.begin();
  for (; node >= group->count; ++group) node -= group->count;
  return *group;
}

std::string named(int node, const std::string& link) {
  return "node-" + std::to_string(node) + "/" + link;
}

/// From a device to the middle of its node or back, according to `direction`.
void add_own_link(std::vector<RouteLink>& route,
                  const Interconnect& inside,
                  const WorkerInfo& device,
                  const std::string& direction) {
  if (inside.topology == NodeTopology::shared_memory) return;
  const LinkSpec& link = inside.pcie ? *inside.pcie : inside.link;
  route.push_back({named(device.node, std::to_string(device.device) + direction),
                   link.bytes_per_s,
                   link.latency_s});
}

/// The shared link of all transfers inside a node and out of it.
void add_shared(std::vector<RouteLink>& route, const Interconnect& inside, int node) {
  if (inside.topology == NodeTopology::shared_memory)
    route.push_back({named(node, "bus"), inside.link.bytes_per_s, inside.link.latency_s});
  if (inside.backbone_bytes_per_s)
    route.push_back({named(node, "backbone"), *inside.backbone_bytes_per_s, 0});
}

/// Up to the lowest switch that both nodes are below, and down again.
int fat_tree_hops(const Interlink& network, int from, int to) {
  int levels = 0;
  for (; from != to; ++levels) {
    from /= network.down[static_cast<std::size_t>(levels)];
    to /= network.down[static_cast<std::size_t>(levels)];
  }
  return 2 * levels;
}

/// The shorter way round in every dimension.
int torus_hops(const Interlink& network, int from, int to) {
  int hops = 0;
  for (const int size : network.dimensions) {
    const int apart = std::abs(from % size - to % size);
    hops += std::min(apart, size - apart);
    from /= size;
    to /= size;
  }
  return hops;
}

/// Through the router with a link to the other group; router n of the first chassis is linked to
/// group n.
int dragonfly_hops(const Interlink& network, int from, int to) {
  struct Place {
    int group, chassis, router;
  };
  const auto place = [&network](int node) {
    const int router = node / network.nodes_per_router;
    const int chassis = router / network.routers;
    return Place{chassis / network.chassis, chassis % network.chassis, router % network.routers};
  };
  Place at = place(from);
  const Place goal = place(to);
  int hops = 2;  // into the first router and out of the last
  if (at.group != goal.group) {
    if (at.router != goal.group) ++hops;
    if (at.chassis != 0) ++hops;
    ++hops;
    at = {goal.group, 0, at.group};
  }
  if (at.router != goal.router) ++hops;
  if (at.chassis != goal.chassis) ++hops;
  return hops;
}

int hops_between(const Interlink& network, int from, int to) {
  switch (network.topology) {
    case NetworkTopology::star:
      return 2;
    case NetworkTopology::fat_tree:
      return fat_tree_hops(network, from, to);
    case NetworkTopology::torus:
      return torus_hops(network, from, to);
    case NetworkTopology::dragonfly:
      return dragonfly_hops(network, from, to);
  }
  return 0;
}

const LinkSpec& link_of(const Platform& platform, int node) {
  const auto& uplink = group_of(platform, node).uplink;
  return uplink ? uplink->link : platform.network->link;
}

void add_cables(std::vector<RouteLink>& route, const Platform& platform, int from, int to) {
  const Interlink& network = *platform.network;
  if (network.topology == NetworkTopology::star) {
    const LinkSpec& out = link_of(platform, from);
    route.push_back({named(from, "uplink"), out.bytes_per_s, out.latency_s});
    if (network.backbone_bytes_per_s)
      route.push_back({"backbone", *network.backbone_bytes_per_s, 0});
    const LinkSpec& in = link_of(platform, to);
    route.push_back({named(to, "downlink"), in.bytes_per_s, in.latency_s});
    return;
  }
  const LinkSpec& link = network.link;
  const int hops = hops_between(network, from, to);
  route.insert(route.end(), static_cast<std::size_t>(hops), {"", link.bytes_per_s, link.latency_s});
}

double latency_of(const std::vector<RouteLink>& route) {
  double latency_s = 0;
  for (const RouteLink& link : route) latency_s += link.latency_s;
  return latency_s;
}

/// Of all cables between two nodes, those beyond the fewest that any two neighbours have between
/// them.
double further_s(const Interlink& network, int from, int to) {
  const int fewest = network.topology == NetworkTopology::torus ? 1 : 2;
  return network.link.latency_s * (hops_between(network, from, to) - fewest);
}

}  // namespace

const std::optional<MessageCosts>& messages_of(const Platform& platform, int node) {
  const auto& uplink = group_of(platform, node).uplink;
  return uplink && uplink->messages ? uplink->messages : platform.network->messages;
}

bool are_measured_inside(const Platform& platform, int node) {
  const auto& inside = group_of(platform, node).interconnect;
  return inside && inside->messages;
}

std::vector<RouteLink> described_route(const Platform& platform,
                                       const WorkerInfo& from,
                                       const WorkerInfo& to) {
  std::vector<RouteLink> route;
  const auto& inside = group_of(platform, from.node).interconnect;
  if (from.node == to.node) {
    const bool are_gpus = from.device_class != "cpu" && to.device_class != "cpu";
    if (are_gpus && inside->topology == NodeTopology::nvlink) {
      const std::string pair = std::to_string(from.device) + "->" + std::to_string(to.device);
      return {{named(from.node, pair), inside->link.bytes_per_s, inside->link.latency_s}};
    }
    if (are_gpus && inside->topology == NodeTopology::nvswitch && from.device != to.device) {
      for (const auto& [device, direction] : {std::pair(from, "/to"), std::pair(to, "/from")}) {
        route.push_back({named(device.node, std::to_string(device.device) + direction + "-switch"),
                         inside->link.bytes_per_s,
                         inside->link.latency_s});
      }
      return route;
    }
    add_own_link(route, *inside, from, "/up");
    add_shared(route, *inside, from.node);
    add_own_link(route, *inside, to, "/down");
    return route;
  }
  if (inside) {
    add_own_link(route, *inside, from, "/up");
    add_shared(route, *inside, from.node);
  }
  add_cables(route, platform, from.node, to.node);
  if (const auto& there = group_of(platform, to.node).interconnect) {
    add_shared(route, *there, to.node);
    add_own_link(route, *there, to, "/down");
  }
  return route;
}

RouteCost described_cost(const Platform& platform,
                         const WorkerInfo& from,
                         const WorkerInfo& to,
                         double bytes) {
  const std::vector<RouteLink> route = described_route(platform, from, to);
  const auto narrowest =
      std::min_element(route.begin(), route.end(), [](const auto& a, const auto& b) {
        return a.bytes_per_s < b.bytes_per_s;
      });
  RouteCost cost = {.latency_s = latency_of(route), .bytes_per_s = narrowest->bytes_per_s};
  const bool is_inside = from.node == to.node;
  const std::optional<MessageCosts>& messages =
      is_inside ? group_of(platform, from.node).interconnect->messages
                : messages_of(platform, from.node);
  if (messages) {
    const std::optional<MessageCosts>& others =
        is_inside ? messages : messages_of(platform, to.node);
    const MessageRegime& here = messages->regime(bytes);
    const MessageRegime& there = others->regime(bytes);
    cost.bytes_per_s = std::min({cost.bytes_per_s, here.bytes_per_s, there.bytes_per_s});
    cost.latency_s = 0.5 * (here.latency_s + there.latency_s) +
                     (is_inside ? 0 : further_s(*platform.network, from.node, to.node));
  }
  return cost;
}

}  // namespace epochcast::tests
