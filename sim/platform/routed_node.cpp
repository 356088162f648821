// SPDX-License-Identifier: Apache-2.0
#include "sim/platform/routed_node.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <simgrid/s4u.hpp>

#include "core/formats/interconnect.hpp"
#include "core/formats/node_links.hpp"

namespace epochcast::sim {
namespace {

namespace sg = simgrid::s4u;

constexpr double kRoutedHostSpeed = 1e9;  // never used: computing is sleeping for measured seconds
constexpr int kRoot = -1;                 // of the PCIe tree: the place of CPUs

/// Links and routes of one node.
class RoutedNode {
 public:
  using Link = const sg::SplitDuplexLink*;
  using Route = std::vector<sg::LinkInRoute>;

  RoutedNode(const NodeGroup& node, const std::string& name, sg::NetZone* parent)
      : node_(node),
        inside_(*node.interconnect),
        name_(name),
        accelerators_(accelerators_of(node)),
        zone_(sg::create_full_zone(name)) {
    if (parent != nullptr) zone_->set_parent(parent);
    int count = 0;
    for (const bool is_accelerator : accelerators_)
      places_.push_back(is_accelerator ? count++ : kRoot);
  }

  void make_devices(double uplink_bytes_per_s, std::vector<sg::Host*>& hosts);
  void make_channels(double uplink_bytes_per_s, std::vector<sg::Host*>& hosts);
  Leaf seal() {
    zone_->seal();
    return {.netpoint = zone_->get_netpoint(), .gateway = gateway_};
  }

 private:
  Link duplex(const std::string& name, double bytes_per_s, double latency_s = 0);
  /// The link of a level of the PCIe tree above a place; null: there is none.
  Link level(const char* name, const std::optional<PcieLevel>& level, int place);
  static void up(Route& route, Link link) {
    if (link != nullptr) route.emplace_back(link, sg::LinkInRoute::Direction::UP);
  }
  static void down(Route& route, Link link) {
    if (link != nullptr) route.emplace_back(link, sg::LinkInRoute::Direction::DOWN);
  }
  /// Adds the links between two places of the PCIe tree, above the devices' own.
  void cross(Route& route, int from, int to);
  Route pcie_route(std::size_t from, std::size_t to);
  Route device_route(std::size_t from, std::size_t to);
  Route exit_route(std::size_t device);
  void make_host(const std::string& name, std::vector<sg::Host*>& hosts) {
    hosts.push_back(zone_->create_host(name, kRoutedHostSpeed)->seal());
  }
  void add(const sg::Host* from, const sg::Host* to, const Route& route) {
    zone_->add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, route, from != to);
  }
  void add_exit(const sg::Host* host, const Route& route) {
    zone_->add_route(host->get_netpoint(), gateway_, nullptr, nullptr, route, true);
  }

  const NodeGroup& node_;
  const Interconnect& inside_;
  std::string name_;
  std::vector<bool> accelerators_;
  std::vector<int> places_;  ///< in the PCIe tree, by device: its number among accelerators
  sg::NetZone* zone_;
  simgrid::kernel::routing::NetPoint* gateway_ = nullptr;
  std::vector<std::string> devices_;  ///< names
  std::vector<Link> pcie_;            ///< by device
  std::vector<Link> nvswitch_;        ///< by device
  std::map<std::string, Link> levels_;
  std::map<std::string, Link> pairs_;
  std::vector<Link> ports_;
  const sg::Link* backbone_ = nullptr;
};

RoutedNode::Link RoutedNode::duplex(const std::string& name, double bytes_per_s, double latency_s) {
  sg::SplitDuplexLink* link = zone_->create_split_duplex_link(name_ + "/" + name, bytes_per_s);
  link->set_latency(latency_s);
  link->seal();
  return link;
}

RoutedNode::Link RoutedNode::level(const char* name,
                                   const std::optional<PcieLevel>& level,
                                   int place) {
  if (!level || place == kRoot) return nullptr;
  const std::string full = name + std::to_string(place / level->devices);
  Link& known = levels_[full];
  if (known == nullptr) known = duplex(full, level->bytes_per_s);
  return known;
}

void RoutedNode::cross(Route& route, int from, int to) {
  const auto is_same = [&](const std::optional<PcieLevel>& level) {
    return from != kRoot && to != kRoot && level && from / level->devices == to / level->devices;
  };
  if (is_same(inside_.pcie_switch)) return;
  up(route, level("switch-", inside_.pcie_switch, from));
  if (from != kRoot && to != kRoot && !is_same(inside_.socket)) {
    up(route, level("socket-", inside_.socket, from));
    down(route, level("socket-", inside_.socket, to));
  }
  down(route, level("switch-", inside_.pcie_switch, to));
}

RoutedNode::Route RoutedNode::pcie_route(std::size_t from, std::size_t to) {
  Route route;
  up(route, pcie_[from]);
  if (from != to) cross(route, places_[from], places_[to]);
  if (backbone_ != nullptr) route.emplace_back(backbone_);
  down(route, pcie_[to]);
  return route;
}

RoutedNode::Route RoutedNode::device_route(std::size_t from, std::size_t to) {
  if (from == to || !accelerators_[from] || !accelerators_[to]) return pcie_route(from, to);
  Route route;
  if (inside_.topology == NodeTopology::nvswitch) {
    up(route, nvswitch_[from]);
    down(route, nvswitch_[to]);
    return route;
  }
  if (inside_.topology != NodeTopology::nvlink) return pcie_route(from, to);
  int links = inside_.pairs.empty() ? 1 : 0;
  for (const NvlinkPair& pair : inside_.pairs) {
    if (pair.joins(static_cast<int>(from), static_cast<int>(to))) links = pair.links;
  }
  if (links == 0) return pcie_route(from, to);
  const std::string name = "nvlink-" + std::to_string(from) + "-" + std::to_string(to);
  up(route, duplex(name, links * inside_.link.bytes_per_s, inside_.link.latency_s));
  return route;
}

RoutedNode::Route RoutedNode::exit_route(std::size_t device) {
  Route route;
  up(route, pcie_[device]);
  std::size_t port = 0;
  bool is_near = false;
  for (std::size_t i = 0; i < node_.ports.size() && !is_near; ++i) {
    const std::vector<int>& near = node_.ports[i];
    is_near = std::find(near.begin(), near.end(), static_cast<int>(device)) != near.end();
    if (is_near) port = i;
  }
  if (!is_near) {
    const bool has_place = port < node_.ports.size() && !node_.ports[port].empty();
    const int place =
        has_place ? places_[static_cast<std::size_t>(node_.ports[port].front())] : kRoot;
    cross(route, places_[device], place);
  }
  if (backbone_ != nullptr) route.emplace_back(backbone_);
  if (port < ports_.size()) up(route, ports_[port]);
  return route;
}

void RoutedNode::make_devices(double uplink_bytes_per_s, std::vector<sg::Host*>& hosts) {
  gateway_ = zone_->create_router(name_ + "/gateway");
  for (const DeviceGroup& group : node_.devices) {
    for (int i = 0; i < group.count; ++i)
      devices_.push_back(group.device_class + "-" + std::to_string(devices_.size()));
  }
  const LinkSpec& pcie = inside_.pcie ? *inside_.pcie : inside_.link;
  if (inside_.backbone_bytes_per_s)
    backbone_ = zone_->create_link(name_ + "/backbone", *inside_.backbone_bytes_per_s)->seal();
  for (std::size_t i = 0; i < node_.ports.size(); ++i) {
    const double share = uplink_bytes_per_s / static_cast<double>(node_.ports.size());
    ports_.push_back(duplex("port-" + std::to_string(i), share));
  }
  for (const std::string& device : devices_) {
    make_host(name_ + "/" + device, hosts);
    pcie_.push_back(duplex(device + "/pcie", pcie.bytes_per_s, pcie.latency_s));
    if (inside_.topology == NodeTopology::nvswitch)
      nvswitch_.push_back(
          duplex(device + "/nvswitch", inside_.link.bytes_per_s, inside_.link.latency_s));
  }
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    add_exit(hosts[i], exit_route(i));
    for (std::size_t j = i; j < hosts.size(); ++j) add(hosts[i], hosts[j], device_route(i, j));
  }
}

void RoutedNode::make_channels(double uplink_bytes_per_s, std::vector<sg::Host*>& hosts) {
  std::optional<double> ring;
  if (inside_.topology == NodeTopology::nvlink) ring = nvlink_ring_bytes_per_s(node_);
  std::vector<Link> all_nvlinks;
  for (const std::string& device : devices_) {
    make_host(name_ + "/" + device + "/channels", hosts);
    if (ring) all_nvlinks.push_back(duplex(device + "/nvlinks", *ring, inside_.link.latency_s));
  }
  const LinkSpec& pcie = inside_.pcie ? *inside_.pcie : inside_.link;
  Route all_ports;
  if (!ports_.empty()) {
    if (backbone_ != nullptr) all_ports.emplace_back(backbone_);
    up(all_ports, duplex("ports", uplink_bytes_per_s, pcie.latency_s));
  }
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    add_exit(hosts[i], all_ports.empty() ? exit_route(i) : all_ports);
    for (std::size_t j = i; j < hosts.size(); ++j) {
      Route route;
      if (ring && i != j && accelerators_[i] && accelerators_[j]) {
        up(route, all_nvlinks[i]);
        down(route, all_nvlinks[j]);
      } else if (i == j || inside_.topology != NodeTopology::nvlink) {
        route = device_route(i, j);
      } else {
        route = pcie_route(i, j);
      }
      add(hosts[i], hosts[j], route);
    }
  }
}

}  // namespace

bool needs_routes(const NodeGroup& node, bool has_channels) {
  if (!node.interconnect) return false;
  const Interconnect& inside = *node.interconnect;
  return !node.ports.empty() || !inside.pairs.empty() || inside.pcie_switch || inside.socket ||
         (has_channels && inside.topology == NodeTopology::nvlink);
}

Leaf make_routed_node(const NodeGroup& node,
                      const std::string& name,
                      sg::NetZone* parent,
                      double uplink_bytes_per_s,
                      bool has_channels,
                      NodeHosts& hosts) {
  RoutedNode made(node, name, parent);
  made.make_devices(uplink_bytes_per_s, hosts.devices);
  const bool differs = !node.ports.empty() || node.interconnect->topology == NodeTopology::nvlink;
  if (has_channels && differs) made.make_channels(uplink_bytes_per_s, hosts.channels);
  return made.seal();
}

}  // namespace epochcast::sim
