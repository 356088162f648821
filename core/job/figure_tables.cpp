// SPDX-License-Identifier: Apache-2.0
#include "core/job/figure_tables.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "core/error.hpp"

namespace epochcast {
namespace {

constexpr double kLeastLatency_s = 1e-10;  // of links (docs/formats.md)

/// Messages whose route has another latency and another limit from now on. What was measured of
/// kinds of exchange and of whole all-reduces are shares of what messages take, and stay.
MessageCosts moved(MessageCosts costs, double later_s, double times, const GivenFigure& given) {
  const auto widen = [](double deviation) {
    return std::hypot(deviation, kExtrapolationDeviation);
  };
  for (MessageRegime& regime : costs.regimes) {
    regime.bytes_per_s *= times;
    regime.latency_s = std::max(kLeastLatency_s, regime.latency_s + later_s);
  }
  if (costs.barrier_round_s > 0)
    costs.barrier_round_s = std::max(0.0, costs.barrier_round_s + later_s);
  costs.uncertainty = widen(costs.uncertainty);
  for (MeasuredAllReduce& each : costs.all_reduces) each.deviation = widen(each.deviation);
  costs.notes.push_back(given.name + " is set: what was measured of messages is moved with it");
  return costs;
}

void set_link(LinkSpec& link, Source& source, const LinkSpec& to, const GivenFigure& given) {
  if (to == link) return;
  link = to;
  source = {.grade = Grade::estimated, .method = given.name + " set for one job"};
}

/// From a worker of such a node to half of the shortest route to another node: its latency, and
/// the least bandwidth.
LinkSpec way_out(const Platform& platform, const NodeGroup& group) {
  const Interlink& network = *platform.network;
  LinkSpec way = group.uplink ? group.uplink->link : network.link;
  if (network.topology == NetworkTopology::torus) way.latency_s /= 2;  // neighbours share a link
  if (group.interconnect) {
    const Interconnect& inside = *group.interconnect;
    const LinkSpec& first = inside.pcie ? *inside.pcie : inside.link;
    way.bytes_per_s = std::min(way.bytes_per_s, first.bytes_per_s);
    way.latency_s += first.latency_s;
  }
  return way;
}

std::vector<LinkSpec> ways_out(const Platform& platform) {
  std::vector<LinkSpec> ways;
  if (!platform.network) return ways;
  for (const NodeGroup& group : platform.nodes) ways.push_back(way_out(platform, group));
  return ways;
}

/// Messages between nodes whose ways out were these before the links changed. Nodes whose messages
/// are no longer as the network's get their own.
void move_messages(Platform& platform,
                   const std::vector<LinkSpec>& before,
                   const GivenFigure& given) {
  const std::vector<LinkSpec> after = ways_out(platform);
  if (after == before) return;
  Interlink& network = *platform.network;
  int changed_nodes = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (after[i] != before[i]) changed_nodes += platform.nodes[i].count;
  }
  const int ends = std::min(changed_nodes, 2);  // of a message that are such nodes
  const auto moved_of = [&](const MessageCosts& costs, std::size_t i) {
    if (after[i] == before[i]) return costs;
    return moved(costs,
                 ends * (after[i].latency_s - before[i].latency_s),
                 after[i].bytes_per_s / before[i].bytes_per_s,
                 given);
  };
  const std::optional<MessageCosts> old = network.messages;
  std::optional<MessageCosts> common;  // of nodes that the network's own link joins
  for (std::size_t i = 0; old && i < after.size() && !common; ++i) {
    if (!platform.nodes[i].uplink) common = moved_of(*old, i);
  }
  if (common) network.messages = common;
  for (std::size_t i = 0; i < after.size(); ++i) {
    NodeGroup& group = platform.nodes[i];
    if (group.uplink && group.uplink->messages) {
      group.uplink->messages = moved_of(*group.uplink->messages, i);
      continue;
    }
    if (!old) continue;
    MessageCosts own = moved_of(*old, i);
    if (own == network.messages) continue;
    if (network.topology != NetworkTopology::star)
      throw UserError(given.name +
                      ": messages between nodes were measured for all kinds of nodes together; "
                      "set it for all nodes of a star, or calibrate the changed cluster");
    if (!group.uplink)
      group.uplink = {.link = network.link, .messages = {}, .source = network.source};
    group.uplink->messages = std::move(own);
  }
}

LinkSpec with_bandwidth(LinkSpec link, double bytes_per_s) {
  link.bytes_per_s = bytes_per_s;
  return link;
}

LinkSpec with_latency(LinkSpec link, double seconds) {
  link.latency_s = seconds;
  return link;
}

using Changed = LinkSpec (*)(LinkSpec link, double value);

void change_network(Platform& platform, Changed changed, const GivenFigure& given) {
  Interlink& network = *platform.network;
  // What messages were measured to share holds for the links that were there (see calibrate): it
  // may be these links' own limit. A backbone that is described stays.
  if (network.messages && network.backbone_bytes_per_s &&
      changed(network.link, given.value) != network.link) {
    network.backbone_bytes_per_s.reset();
    network.messages->notes.push_back(given.name +
                                      " is set: the backbone that was fitted to measured messages "
                                      "is left out");
  }
  const std::vector<LinkSpec> before = ways_out(platform);
  set_link(network.link, network.source, changed(network.link, given.value), given);
  move_messages(platform, before, given);
}

void change_inside(Platform& platform,
                   NodeGroup& group,
                   Changed changed,
                   const GivenFigure& given) {
  const std::vector<LinkSpec> before = ways_out(platform);
  Interconnect& inside = *group.interconnect;
  const LinkSpec was = inside.link;
  set_link(inside.link, inside.source, changed(was, given.value), given);
  if (inside.messages && inside.link != was) {
    const bool has_switch =
        inside.topology == NodeTopology::pcie || inside.topology == NodeTopology::nvswitch;
    const double links = has_switch ? 2 : 1;
    const auto limit = [&](const LinkSpec& link) {
      return std::min(link.bytes_per_s, inside.backbone_bytes_per_s.value_or(link.bytes_per_s));
    };
    inside.messages = moved(std::move(*inside.messages),
                            links * (inside.link.latency_s - was.latency_s),
                            limit(inside.link) / limit(was),
                            given);
  }
  move_messages(platform, before, given);
}

void change_pcie(Platform& platform, NodeGroup& group, Changed changed, const GivenFigure& given) {
  const std::vector<LinkSpec> before = ways_out(platform);
  Interconnect& inside = *group.interconnect;
  const LinkSpec to = changed(*inside.pcie, given.value);
  // What was measured inside a node holds for all of its devices.
  if (!platform.network && inside.messages && to.latency_s != inside.pcie->latency_s)
    throw UserError(given.name +
                    ": changes nothing, as messages inside the node were measured; expected "
                    "node.latency to move these");
  set_link(*inside.pcie, inside.source, to, given);
  move_messages(platform, before, given);
}

/// Nodes without a link of their own get one that is as the network's are, but for the figure.
void change_uplink(Platform& platform,
                   NodeGroup& group,
                   Changed changed,
                   const GivenFigure& given) {
  const std::vector<LinkSpec> before = ways_out(platform);
  const Interlink& network = *platform.network;
  const LinkSpec was = group.uplink ? group.uplink->link : network.link;
  const LinkSpec to = changed(was, given.value);
  if (to == was) return;
  if (!group.uplink) group.uplink = {.link = was, .messages = {}, .source = network.source};
  set_link(group.uplink->link, group.uplink->source, to, given);
  move_messages(platform, before, given);
}

bool trains(const DeviceGroup& device, const std::string& workers) {
  return workers.empty() ? device.is_worker : workers == "all" || workers == device.device_class;
}

/// The only kind of device of a node that trains; null where there are several, or none.
const DeviceGroup* only_trainer(const NodeGroup& group, const std::string& workers) {
  const DeviceGroup* found = nullptr;
  for (const DeviceGroup& device : group.devices) {
    if (!trains(device, workers)) continue;
    if (found != nullptr) return nullptr;
    found = &device;
  }
  return found;
}

/// The network's link of such nodes, where they may have one of their own.
const LinkSpec* uplink_of(const Platform& platform, const NodeGroup& group) {
  if (!platform.network || platform.network->topology != NetworkTopology::star) return nullptr;
  return group.uplink ? &group.uplink->link : &platform.network->link;
}

using Value = std::optional<double>;
using P = const Platform&;
using G = const NodeGroup&;
using W = const std::string&;

constexpr NodeFigure kAllOfNodes[] = {
    {"count",
     FigureKind::count,
     [](P, G group, W) { return Value(group.count); },
     [](Platform&, NodeGroup& group, const GivenFigure& given) {
       group.count = static_cast<int>(given.value);
     }},
    {"devices",
     FigureKind::count,
     [](P, G group, W workers) {
       const DeviceGroup* device = only_trainer(group, workers);
       return device == nullptr ? Value() : Value(device->count);
     },
     [](Platform&, NodeGroup& group, const GivenFigure& given) {
       for (DeviceGroup& device : group.devices) {
         if (trains(device, given.workers)) device.count = static_cast<int>(given.value);
       }
     }},
    {"bandwidth",
     FigureKind::link_bandwidth,
     [](P, G group, W) {
       return group.interconnect ? Value(group.interconnect->link.bytes_per_s) : Value();
     },
     [](Platform& platform, NodeGroup& group, const GivenFigure& given) {
       change_inside(platform, group, with_bandwidth, given);
     }},
    {"latency",
     FigureKind::link_latency,
     [](P, G group, W) {
       return group.interconnect ? Value(group.interconnect->link.latency_s) : Value();
     },
     [](Platform& platform, NodeGroup& group, const GivenFigure& given) {
       change_inside(platform, group, with_latency, given);
     }},
    {"backbone",
     FigureKind::link_bandwidth,
     [](P, G group, W) {
       return group.interconnect ? group.interconnect->backbone_bytes_per_s : Value();
     },
     [](Platform&, NodeGroup& group, const GivenFigure& given) {
       Interconnect& inside = *group.interconnect;
       if (inside.backbone_bytes_per_s == given.value) return;
       inside.backbone_bytes_per_s = given.value;
       inside.source = {.grade = Grade::estimated, .method = given.name + " set for one job"};
     }},
    {"pcie-bandwidth",
     FigureKind::link_bandwidth,
     [](P, G group, W) {
       const bool is_there = group.interconnect && group.interconnect->pcie;
       return is_there ? Value(group.interconnect->pcie->bytes_per_s) : Value();
     },
     [](Platform& platform, NodeGroup& group, const GivenFigure& given) {
       change_pcie(platform, group, with_bandwidth, given);
     }},
    {"pcie-latency",
     FigureKind::link_latency,
     [](P, G group, W) {
       const bool is_there = group.interconnect && group.interconnect->pcie;
       return is_there ? Value(group.interconnect->pcie->latency_s) : Value();
     },
     [](Platform& platform, NodeGroup& group, const GivenFigure& given) {
       change_pcie(platform, group, with_latency, given);
     }},
    {"uplink-bandwidth",
     FigureKind::link_bandwidth,
     [](P platform, G group, W) {
       const LinkSpec* link = uplink_of(platform, group);
       return link != nullptr ? Value(link->bytes_per_s) : Value();
     },
     [](Platform& platform, NodeGroup& group, const GivenFigure& given) {
       change_uplink(platform, group, with_bandwidth, given);
     }},
    {"uplink-latency",
     FigureKind::link_latency,
     [](P platform, G group, W) {
       const LinkSpec* link = uplink_of(platform, group);
       return link != nullptr ? Value(link->latency_s) : Value();
     },
     [](Platform& platform, NodeGroup& group, const GivenFigure& given) {
       change_uplink(platform, group, with_latency, given);
     }},
};

/// Whether any node is joined by the network's own link.
bool joins_any(const Platform& platform) {
  return platform.network && std::any_of(platform.nodes.begin(),
                                         platform.nodes.end(),
                                         [](const NodeGroup& group) { return !group.uplink; });
}

constexpr NetworkFigure kAllOfNetworks[] = {
    {"bandwidth",
     FigureKind::link_bandwidth,
     [](P platform) {
       return joins_any(platform) ? Value(platform.network->link.bytes_per_s) : Value();
     },
     [](Platform& platform, const GivenFigure& given) {
       change_network(platform, with_bandwidth, given);
     }},
    {"latency",
     FigureKind::link_latency,
     [](P platform) {
       return joins_any(platform) ? Value(platform.network->link.latency_s) : Value();
     },
     [](Platform& platform, const GivenFigure& given) {
       change_network(platform, with_latency, given);
     }},
    {"backbone",
     FigureKind::link_bandwidth,
     [](P platform) { return platform.network ? platform.network->backbone_bytes_per_s : Value(); },
     [](Platform& platform, const GivenFigure& given) {
       if (platform.network->backbone_bytes_per_s == given.value) return;
       platform.network->backbone_bytes_per_s = given.value;
       platform.network->source = {.grade = Grade::estimated,
                                   .method = given.name + " set for one job"};
     }},
};

constexpr DeviceFigure kAllOfDevices[] = {
    {"count",
     FigureKind::count,
     [](const DeviceGroup& device) { return Value(device.count); },
     [](DeviceGroup& device, double value) { device.count = static_cast<int>(value); }},
    {"speed",
     FigureKind::factor,
     [](const DeviceGroup& device) { return Value(device.speed); },
     [](DeviceGroup& device, double value) { device.speed = value; }},
    {"memory",
     FigureKind::memory,
     [](const DeviceGroup& device) {
       return device.memory_bytes > 0 ? Value(device.memory_bytes) : Value();
     },
     [](DeviceGroup& device, double value) { device.memory_bytes = value; }},
    {"reduce",
     FigureKind::adding,
     [](const DeviceGroup& device) {
       return device.reduce_bytes_per_s > 0 ? Value(device.reduce_bytes_per_s) : Value();
     },
     [](DeviceGroup& device, double value) { device.reduce_bytes_per_s = value; }},
};

}  // namespace

std::span<const NetworkFigure> network_figures() { return kAllOfNetworks; }

std::span<const NodeFigure> node_figures() { return kAllOfNodes; }

std::span<const DeviceFigure> device_figures() { return kAllOfDevices; }

}  // namespace epochcast
