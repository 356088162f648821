// SPDX-License-Identifier: Apache-2.0
#include "core/job/figure_tables.hpp"

#include <algorithm>
#include <vector>

#include "core/job/link_changes.hpp"

namespace epochcast {
namespace {

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

/// The network's link of such nodes, if they may have their own.
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
       change_inside(group, &LinkSpec::bytes_per_s, given);
     }},
    {"latency",
     FigureKind::link_latency,
     [](P, G group, W) {
       return group.interconnect ? Value(group.interconnect->link.latency_s) : Value();
     },
     [](Platform&, NodeGroup& group, const GivenFigure& given) {
       change_inside(group, &LinkSpec::latency_s, given);
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
       change_pcie(platform, group, &LinkSpec::bytes_per_s, given);
     }},
    {"pcie-latency",
     FigureKind::link_latency,
     [](P, G group, W) {
       const bool is_there = group.interconnect && group.interconnect->pcie;
       return is_there ? Value(group.interconnect->pcie->latency_s) : Value();
     },
     [](Platform& platform, NodeGroup& group, const GivenFigure& given) {
       change_pcie(platform, group, &LinkSpec::latency_s, given);
     }},
    {"uplink-bandwidth",
     FigureKind::link_bandwidth,
     [](P platform, G group, W) {
       const LinkSpec* link = uplink_of(platform, group);
       return link != nullptr ? Value(link->bytes_per_s) : Value();
     },
     [](Platform& platform, NodeGroup& group, const GivenFigure& given) {
       change_uplink(platform, group, &LinkSpec::bytes_per_s, given);
     }},
    {"uplink-latency",
     FigureKind::link_latency,
     [](P platform, G group, W) {
       const LinkSpec* link = uplink_of(platform, group);
       return link != nullptr ? Value(link->latency_s) : Value();
     },
     [](Platform& platform, NodeGroup& group, const GivenFigure& given) {
       change_uplink(platform, group, &LinkSpec::latency_s, given);
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
       change_network(platform, &LinkSpec::bytes_per_s, given);
     }},
    {"latency",
     FigureKind::link_latency,
     [](P platform) {
       return joins_any(platform) ? Value(platform.network->link.latency_s) : Value();
     },
     [](Platform& platform, const GivenFigure& given) {
       change_network(platform, &LinkSpec::latency_s, given);
     }},
    {"backbone",
     FigureKind::link_bandwidth,
     [](P platform) { return platform.network ? platform.network->backbone_bytes_per_s : Value(); },
     change_backbone},
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
