// SPDX-License-Identifier: Apache-2.0
#include "sim/platform/node_zone.hpp"

#include <simgrid/s4u.hpp>

namespace epochcast::sim {
namespace {

namespace sg = simgrid::s4u;

constexpr double kHostSpeed = 1e9;  // never used: computing is sleeping for measured seconds

sg::SplitDuplexLink* make_duplex(sg::NetZone* zone, const std::string& name, const LinkSpec& spec) {
  sg::SplitDuplexLink* link = zone->create_split_duplex_link(name, spec.bytes_per_s);
  link->set_latency(spec.latency_s);
  link->seal();
  return link;
}

sg::LinkInRoute up(const sg::SplitDuplexLink* link) {
  return {link, sg::LinkInRoute::Direction::UP};
}
sg::LinkInRoute down(const sg::SplitDuplexLink* link) {
  return {link, sg::LinkInRoute::Direction::DOWN};
}

/// SimGrid requires a zone's parent before anything is created in it.
sg::NetZone* within(sg::NetZone* parent, sg::NetZone* zone) {
  if (parent != nullptr) zone->set_parent(parent);
  return zone;
}

/// Every device has its own link to the centre of the node, or all share one bus.
sg::NetZone* make_star_node(const Interconnect& inside,
                            const std::string& name,
                            sg::NetZone* parent,
                            const std::vector<std::string>& devices,
                            std::vector<sg::Host*>& hosts) {
  sg::NetZone* zone = within(parent, sg::create_star_zone(name));
  sg::Link* shared = nullptr;
  if (inside.topology == NodeTopology::shared_memory) {
    shared = zone->create_link(name + "/bus", inside.link.bytes_per_s)
                 ->set_latency(inside.link.latency_s);
  } else if (inside.backbone_bytes_per_s) {
    shared = zone->create_link(name + "/backbone", *inside.backbone_bytes_per_s);
  }
  if (shared != nullptr) shared->seal();
  for (const std::string& device : devices) {
    sg::Host* host = zone->create_host(name + "/" + device, kHostSpeed)->seal();
    std::vector<sg::LinkInRoute> route;
    std::vector<sg::LinkInRoute> back;
    if (inside.topology == NodeTopology::pcie) {
      const sg::SplitDuplexLink* link =
          make_duplex(zone, name + "/" + device + "/pcie", inside.link);
      route.push_back(up(link));
      back.push_back(down(link));
    }
    if (shared != nullptr) route.emplace_back(shared);
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, route, true);
    // Ranks that share a device exchange through the node's memory.
    route.insert(route.end(), back.begin(), back.end());
    zone->add_route(host->get_netpoint(), host->get_netpoint(), nullptr, nullptr, route, false);
    hosts.push_back(host);
  }
  return zone;
}

/// GPUs are joined pairwise or by a switch; links to CPUs and to the network are PCIe.
sg::NetZone* make_nvlink_node(const Interconnect& inside,
                              const std::string& name,
                              sg::NetZone* parent,
                              const std::vector<std::string>& devices,
                              const std::vector<bool>& is_gpu,
                              simgrid::kernel::routing::NetPoint*& gateway,
                              std::vector<sg::Host*>& hosts) {
  sg::NetZone* zone = within(parent, sg::create_full_zone(name));
  gateway = zone->create_router(name + "/gateway");
  std::vector<sg::Host*> all;
  std::vector<sg::SplitDuplexLink*> pcie;
  std::vector<sg::SplitDuplexLink*> to_switch;  // empty if GPUs are joined pairwise
  for (const std::string& device : devices) {
    all.push_back(zone->create_host(name + "/" + device, kHostSpeed)->seal());
    pcie.push_back(make_duplex(zone, name + "/" + device + "/pcie", *inside.pcie));
    if (inside.topology == NodeTopology::nvswitch)
      to_switch.push_back(make_duplex(zone, name + "/" + device + "/nvswitch", inside.link));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    zone->add_route(all[i]->get_netpoint(), gateway, nullptr, nullptr, {up(pcie[i])}, true);
    zone->add_route(all[i]->get_netpoint(),
                    all[i]->get_netpoint(),
                    nullptr,
                    nullptr,
                    {up(pcie[i]), down(pcie[i])},
                    false);
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      std::vector<sg::LinkInRoute> route = {up(pcie[i]), down(pcie[j])};
      if (is_gpu[i] && is_gpu[j] && !to_switch.empty()) {
        route = {up(to_switch[i]), down(to_switch[j])};
      } else if (is_gpu[i] && is_gpu[j]) {
        route = {up(make_duplex(
            zone, name + "/nvlink-" + std::to_string(i) + "-" + std::to_string(j), inside.link))};
      }
      zone->add_route(
          all[i]->get_netpoint(), all[j]->get_netpoint(), nullptr, nullptr, route, true);
    }
  }
  hosts.insert(hosts.end(), all.begin(), all.end());
  return zone;
}

}  // namespace

Leaf make_host(const NodeGroup& node,
               const std::string& name,
               sg::NetZone* parent,
               std::vector<sg::Host*>& hosts) {
  const std::string device = node.devices.front().device_class + "-0";
  hosts.push_back(parent->create_host(name + "/" + device, kHostSpeed)->seal());
  return {.netpoint = hosts.back()->get_netpoint(), .gateway = nullptr};
}

Leaf make_node(const NodeGroup& node,
               const std::string& name,
               sg::NetZone* parent,
               std::vector<sg::Host*>& hosts) {
  std::vector<std::string> devices;
  std::vector<bool> is_gpu;
  for (const DeviceGroup& group : node.devices) {
    for (int i = 0; i < group.count; ++i) {
      devices.push_back(group.device_class + "-" + std::to_string(devices.size()));
      is_gpu.push_back(group.device_class != "cpu");
    }
  }
  if (!node.interconnect) {
    sg::NetZone* zone = within(parent, sg::create_full_zone(name));
    const Leaf host = make_host(node, name, zone, hosts);
    zone->seal();
    return {.netpoint = zone->get_netpoint(), .gateway = host.netpoint};
  }
  simgrid::kernel::routing::NetPoint* gateway = nullptr;
  sg::NetZone* zone = nullptr;
  if (node.interconnect->pcie) {
    zone = make_nvlink_node(*node.interconnect, name, parent, devices, is_gpu, gateway, hosts);
  } else {
    zone = make_star_node(*node.interconnect, name, parent, devices, hosts);
    gateway = zone->create_router(name + "/gateway");
    zone->add_route(gateway, nullptr, nullptr, nullptr, std::vector<sg::LinkInRoute>{}, true);
  }
  zone->seal();
  return {.netpoint = zone->get_netpoint(), .gateway = gateway};
}

}  // namespace epochcast::sim
