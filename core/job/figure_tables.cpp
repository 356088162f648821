// SPDX-License-Identifier: Apache-2.0
#include "core/job/figure_tables.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace epochcast {
namespace {

constexpr double kLeastLatency_s = 1e-10;  // of links (docs/formats.md)

/// A link is another one from now on. What was measured of messages that cross so many such links
/// takes its share of the bandwidth as before, and what latencies differ by more or less.
void change_link(LinkSpec& link,
                 std::optional<MessageCosts>& messages,
                 Source& source,
                 const LinkSpec& to,
                 int links,
                 const GivenFigure& given) {
  if (to == link) return;
  const double times = to.bytes_per_s / link.bytes_per_s;
  const double later_s = links * (to.latency_s - link.latency_s);
  if (messages) {
    for (MessageRegime& regime : messages->regimes) {
      regime.bytes_per_s *= times;
      regime.latency_s = std::max(kLeastLatency_s, regime.latency_s + later_s);
    }
    if (messages->barrier_round_s > 0)
      messages->barrier_round_s = std::max(0.0, messages->barrier_round_s + later_s);
    messages->notes.push_back(given.name +
                              " is set: what was measured of messages is moved with it");
  }
  link = to;
  source = {.grade = Grade::estimated, .method = given.name + " set for one job"};
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
  const int links = network.topology == NetworkTopology::torus ? 1 : 2;  // of the shortest route
  change_link(network.link,
              network.messages,
              network.source,
              changed(network.link, given.value),
              links,
              given);
}

void change_inside(NodeGroup& group, Changed changed, const GivenFigure& given) {
  Interconnect& inside = *group.interconnect;
  const bool has_switch =
      inside.topology == NodeTopology::pcie || inside.topology == NodeTopology::nvswitch;
  change_link(inside.link,
              inside.messages,
              inside.source,
              changed(inside.link, given.value),
              has_switch ? 2 : 1,
              given);
}

void change_pcie(NodeGroup& group, Changed changed, const GivenFigure& given) {
  Interconnect& inside = *group.interconnect;
  std::optional<MessageCosts> none;
  change_link(*inside.pcie, none, inside.source, changed(*inside.pcie, given.value), 0, given);
}

/// Nodes without a link of their own get one that is as the network's are, but for the figure.
void change_uplink(const Platform& platform,
                   NodeGroup& group,
                   Changed changed,
                   const GivenFigure& given) {
  const Interlink& network = *platform.network;
  if (!group.uplink)
    group.uplink = {.link = network.link, .messages = network.messages, .source = network.source};
  Uplink& uplink = *group.uplink;
  change_link(
      uplink.link, uplink.messages, uplink.source, changed(uplink.link, given.value), 2, given);
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
     [](Platform&, NodeGroup& group, const GivenFigure& given) {
       change_inside(group, with_bandwidth, given);
     }},
    {"latency",
     FigureKind::link_latency,
     [](P, G group, W) {
       return group.interconnect ? Value(group.interconnect->link.latency_s) : Value();
     },
     [](Platform&, NodeGroup& group, const GivenFigure& given) {
       change_inside(group, with_latency, given);
     }},
    {"backbone",
     FigureKind::link_bandwidth,
     [](P, G group, W) {
       return group.interconnect ? group.interconnect->backbone_bytes_per_s : Value();
     },
     [](Platform&, NodeGroup& group, const GivenFigure& given) {
       group.interconnect->backbone_bytes_per_s = given.value;
     }},
    {"pcie-bandwidth",
     FigureKind::link_bandwidth,
     [](P, G group, W) {
       const bool is_there = group.interconnect && group.interconnect->pcie;
       return is_there ? Value(group.interconnect->pcie->bytes_per_s) : Value();
     },
     [](Platform&, NodeGroup& group, const GivenFigure& given) {
       change_pcie(group, with_bandwidth, given);
     }},
    {"pcie-latency",
     FigureKind::link_latency,
     [](P, G group, W) {
       const bool is_there = group.interconnect && group.interconnect->pcie;
       return is_there ? Value(group.interconnect->pcie->latency_s) : Value();
     },
     [](Platform&, NodeGroup& group, const GivenFigure& given) {
       change_pcie(group, with_latency, given);
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
