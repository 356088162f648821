// SPDX-License-Identifier: Apache-2.0
#include "core/formats/node_links.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/formats/interconnect.hpp"

namespace epochcast {
namespace {

constexpr double kAny = std::numeric_limits<double>::infinity();

std::vector<int> ring_devices(const NodeGroup& group) {
  const std::vector<bool> accelerators = accelerators_of(group);
  const bool has_any =
      std::find(accelerators.begin(), accelerators.end(), true) != accelerators.end();
  std::vector<int> devices;
  for (std::size_t i = 0; i < accelerators.size(); ++i) {
    if (accelerators[i] || !has_any) devices.push_back(static_cast<int>(i));
  }
  return devices;
}

/// Of all the devices, how many a walk along pairs reaches from the first.
std::size_t reached_by(const std::vector<NvlinkPair>& pairs, int first) {
  std::vector<int> reached = {first};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const NvlinkPair& pair : pairs) {
      if (pair.one != reached[i] && pair.other != reached[i]) continue;
      const int next = pair.one == reached[i] ? pair.other : pair.one;
      if (std::find(reached.begin(), reached.end(), next) == reached.end()) reached.push_back(next);
    }
  }
  return reached.size();
}

/// Over PCIe or a bus, from one device of a ring to the next.
double pcie_ring_bytes_per_s(const Interconnect& inside, int devices) {
  const LinkSpec& link = inside.pcie ? *inside.pcie : inside.link;
  if (inside.topology == NodeTopology::shared_memory) return link.bytes_per_s / devices;
  double least = std::min(link.bytes_per_s, inside.backbone_bytes_per_s.value_or(kAny) / devices);
  for (const auto& level : {inside.pcie_switch, inside.socket}) {
    if (level && level->devices < devices) least = std::min(least, level->bytes_per_s);
  }
  return least;
}

/// Of a node, to the network.
double out_bytes_per_s(const Platform& platform, const NodeGroup& group) {
  double out = kAny;
  if (group.uplink) {
    out = group.uplink->link.bytes_per_s;
  } else if (platform.network) {
    out = platform.network->link.bytes_per_s;
  }
  if (!group.interconnect || !group.ports.empty()) return out;
  const Interconnect& inside = *group.interconnect;
  return std::min(out, (inside.pcie ? *inside.pcie : inside.link).bytes_per_s);
}

}  // namespace

std::optional<double> nvlink_ring_bytes_per_s(const NodeGroup& group) {
  if (!group.interconnect) return std::nullopt;
  const Interconnect& inside = *group.interconnect;
  const double link = inside.link.bytes_per_s;
  if (inside.topology == NodeTopology::nvswitch) return link;
  const std::vector<int> devices = ring_devices(group);
  if (inside.topology != NodeTopology::nvlink || devices.size() < 2) return std::nullopt;
  if (inside.pairs.empty()) return link * static_cast<double>(devices.size() - 1);
  if (reached_by(inside.pairs, devices.front()) != devices.size()) return std::nullopt;
  double least = kAny;
  for (const int device : devices) {
    int links = 0;
    std::size_t neighbours = 0;
    for (const NvlinkPair& pair : inside.pairs) {
      if (pair.one != device && pair.other != device) continue;
      links += pair.links;
      ++neighbours;
    }
    if (neighbours < std::min<std::size_t>(2, devices.size() - 1)) return std::nullopt;
    least = std::min(least, links * link);
  }
  return least;
}

NodeLinks node_links(const Platform& platform) {
  NodeLinks links = {
      .has_nvlink = true, .in_node_bytes_per_s = kAny, .between_nodes_bytes_per_s = kAny};
  for (const NodeGroup& group : platform.nodes) {
    const std::optional<double> nvlink = nvlink_ring_bytes_per_s(group);
    links.has_nvlink = links.has_nvlink && nvlink.has_value();
    if (group.interconnect) {
      const auto devices = static_cast<int>(ring_devices(group).size());
      const double inside = nvlink ? *nvlink : pcie_ring_bytes_per_s(*group.interconnect, devices);
      links.in_node_bytes_per_s = std::min(links.in_node_bytes_per_s, inside);
    }
    links.between_nodes_bytes_per_s =
        std::min(links.between_nodes_bytes_per_s, out_bytes_per_s(platform, group));
  }
  // A platform without such links never uses them.
  const NodeLinks unknown;
  if (platform.nodes.empty()) links.has_nvlink = unknown.has_nvlink;
  if (links.in_node_bytes_per_s == kAny) links.in_node_bytes_per_s = unknown.in_node_bytes_per_s;
  if (links.between_nodes_bytes_per_s == kAny)
    links.between_nodes_bytes_per_s = unknown.between_nodes_bytes_per_s;
  return links;
}

}  // namespace epochcast
