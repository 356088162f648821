// SPDX-License-Identifier: Apache-2.0
#include "sim/platform/cluster.hpp"

#include <malloc.h>

#include <algorithm>
#include <limits>
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>

#include "sim/engine.hpp"
#include "sim/platform/node_zone.hpp"
#include "sim/platform/routed_node.hpp"
#include "sim/platform/xml_platform.hpp"

namespace epochcast::sim {
namespace {

namespace sg = simgrid::s4u;

constexpr double kNoNetwork = 1;  // bandwidth of ports that lead nowhere

/// A zone to build a network in, outside of the root zone. SimGrid looks for the name of each new
/// link and host in every zone below the root first, which takes quadratic time when every node is
/// a zone.
sg::NetZone* make_base_zone() {
  const auto* root = sg::create_empty_zone("root")->get_impl();  // the first zone is the root
  sg::NetZone* base = sg::create_empty_zone("base");
  base->get_impl()->set_network_model(root->get_network_model());
  base->get_impl()->set_cpu_pm_model(root->get_cpu_pm_model());
  base->get_impl()->set_cpu_vm_model(root->get_cpu_vm_model());
  base->get_impl()->set_disk_model(root->get_disk_model());
  base->get_impl()->set_host_model(root->get_host_model());
  return base;
}

/// Creates a node in the network zone of a topology.
using MakeLeaf = std::function<Leaf(sg::NetZone* parent, std::size_t index)>;

/// The link of the node with this index into a star.
using UplinkOf = std::function<LinkSpec(std::size_t index)>;

sg::NetZone* make_star(const Interlink& network,
                       std::size_t nodes,
                       const MakeLeaf& make_leaf,
                       const UplinkOf& uplink_of) {
  const sg::NetZone* base = make_base_zone();
  sg::NetZone* zone = sg::create_star_zone("network")->set_parent(base);
  sg::Link* backbone = nullptr;
  if (network.backbone_bytes_per_s) {
    backbone = zone->create_link("backbone", *network.backbone_bytes_per_s)->seal();
  }
  for (std::size_t i = 0; i < nodes; ++i) {
    const Leaf leaf = make_leaf(zone, i);
    const LinkSpec uplink = uplink_of(i);
    auto* link = zone->create_split_duplex_link("uplink-" + std::to_string(i), uplink.bytes_per_s);
    link->set_latency(uplink.latency_s)->seal();
    std::vector<sg::LinkInRoute> route = {{link, sg::LinkInRoute::Direction::UP}};
    if (backbone != nullptr) route.emplace_back(backbone);
    zone->add_route(leaf.netpoint, nullptr, leaf.gateway, nullptr, route, true);
  }
  return zone;
}

std::vector<unsigned int> unsigned_of(const std::vector<int>& counts) {
  return {counts.begin(), counts.end()};
}

/// Without dimensions of 1, which have no links: SimGrid would give links of two such dimensions
/// the same name.
std::vector<unsigned long> torus_dimensions(const Interlink& network) {
  std::vector<unsigned long> dimensions;
  for (const int size : network.dimensions) {
    if (size > 1) dimensions.push_back(static_cast<unsigned long>(size));
  }
  if (dimensions.empty()) dimensions.push_back(1);
  return dimensions;
}

sg::NetZone* make_network(const Interlink& network,
                          std::size_t nodes,
                          const MakeLeaf& make_leaf,
                          const UplinkOf& uplink_of) {
  const sg::ClusterCallbacks leaves(
      [&make_leaf, next = std::size_t{0}](
          sg::NetZone* zone, const std::vector<unsigned long>&, unsigned long) mutable {
        const Leaf leaf = make_leaf(zone, next++);
        return std::make_pair(leaf.netpoint, leaf.gateway);
      });
  const double bandwidth = network.link.bytes_per_s;
  const double latency = network.link.latency_s;
  constexpr auto kFullDuplex = sg::Link::SharingPolicy::SPLITDUPLEX;
  switch (network.topology) {
    case NetworkTopology::star:
      return make_star(network, nodes, make_leaf, uplink_of);
    case NetworkTopology::fat_tree:
      return sg::create_fatTree_zone("network",
                                     make_base_zone(),
                                     {static_cast<unsigned int>(network.down.size()),
                                      unsigned_of(network.down),
                                      unsigned_of(network.up),
                                      unsigned_of(network.cables)},
                                     leaves,
                                     bandwidth,
                                     latency,
                                     kFullDuplex);
    case NetworkTopology::torus:
      return sg::create_torus_zone("network",
                                   make_base_zone(),
                                   torus_dimensions(network),
                                   leaves,
                                   bandwidth,
                                   latency,
                                   kFullDuplex);
    case NetworkTopology::dragonfly: {
      const std::vector<unsigned int> cables = unsigned_of(network.cables);
      return sg::create_dragonfly_zone("network",
                                       make_base_zone(),
                                       {{static_cast<unsigned int>(network.groups), cables[0]},
                                        {static_cast<unsigned int>(network.chassis), cables[1]},
                                        {static_cast<unsigned int>(network.routers), cables[2]},
                                        static_cast<unsigned int>(network.nodes_per_router)},
                                       leaves,
                                       bandwidth,
                                       latency,
                                       kFullDuplex);
    }
  }
  return nullptr;
}

/// The latency of half of the fewest cables that join two nodes.
double half_route_s(const Interlink& network) {
  return network.link.latency_s * (network.topology == NetworkTopology::torus ? 0.5 : 1);
}

}  // namespace

Cluster::Cluster(const Platform& platform, int nodes, bool has_channels) {
  (void)engine();
  build(platform, nodes, has_channels);
  engine().get_netzone_root()->get_network_model()->set_lat_factor_cb(
      [](double, const sg::Host*, const sg::Host*, const auto&, const auto&) { return 0.0; });
}

void Cluster::build(const Platform& platform, int nodes, bool has_channels) {
  if (!platform.simgrid_xml.empty()) {
    hosts_ = hosts_by_node();
    channel_hosts_.resize(hosts_.size());
    has_separate_nodes_ = false;
    return;
  }
  std::vector<const NodeGroup*> groups;  // by node
  for (const NodeGroup& group : platform.nodes) {
    auto kind = std::make_shared<Kind>();
    kind->inside = group.interconnect;
    if (platform.network) {
      kind->between = platform.network->messages;
      kind->cables_s = half_route_s(*platform.network);
    }
    if (group.uplink) {
      if (group.uplink->messages) kind->between = group.uplink->messages;
      kind->cables_s = group.uplink->link.latency_s;
    }
    for (int i = 0; i < group.count && static_cast<int>(groups.size()) < nodes; ++i) {
      groups.push_back(&group);
      kinds_.push_back(kind);
    }
  }
  hosts_.resize(groups.size());
  channel_hosts_.resize(groups.size());
  const bool has_zones = std::any_of(
      kinds_.begin(), kinds_.end(), [](const auto& kind) { return kind->inside.has_value(); });
  const UplinkOf uplink_of = [&](std::size_t index) {
    const auto& uplink = groups[index]->uplink;
    return uplink ? uplink->link : platform.network->link;
  };
  const MakeLeaf make_leaf = [&](sg::NetZone* parent, std::size_t index) {
    const std::string name = "node-" + std::to_string(index);
    if (index >= groups.size())
      return Leaf{.netpoint = parent->create_router(name), .gateway = nullptr};
    if (!needs_routes(*groups[index], has_channels))
      return (has_zones || parent == nullptr ? make_node : make_host)(
          *groups[index], name, parent, hosts_[index]);
    NodeHosts hosts;
    const double uplink = platform.network ? uplink_of(index).bytes_per_s : kNoNetwork;
    const Leaf leaf = make_routed_node(*groups[index], name, parent, uplink, has_channels, hosts);
    hosts_[index] = std::move(hosts.devices);
    channel_hosts_[index] = std::move(hosts.channels);
    return leaf;
  };
  if (!platform.network) {
    make_leaf(nullptr, 0);
  } else {
    make_network(*platform.network, groups.size(), make_leaf, uplink_of)->seal();
  }
}

const MessageCosts* Cluster::messages_between(int node, int other) const {
  if (kinds_.empty()) return nullptr;  // unknown for XML files
  const Kind& own = kind(node);
  if (node == other) return own.inside && own.inside->messages ? &*own.inside->messages : nullptr;
  const Kind& its = kind(other);
  if (!own.between || !its.between) return nullptr;
  if (&own == &its || own.between == its.between) return &*own.between;
  const std::pair<const Kind*, const Kind*> both = std::minmax({&own, &its});
  auto known = mixed_.find(both);
  if (known == mixed_.end())
    known = mixed_.emplace(both, between_ends(*both.first->between, *both.second->between)).first;
  return &known->second;
}

const MessageCosts* Cluster::messages_out_of(int node) const {
  if (kinds_.empty()) return nullptr;
  const Kind& own = kind(node);
  return own.between ? &*own.between : nullptr;
}

const Cluster::Kind& Cluster::kind(int node) const {
  return *kinds_.at(static_cast<std::size_t>(node));
}

double Cluster::Kind::egress_latency_s() const {
  if (!inside) return cables_s;
  return cables_s + (inside->pcie ? inside->pcie->latency_s : inside->link.latency_s);
}

Cluster::Route Cluster::route(const sg::Host* from,
                              int from_node,
                              const sg::Host* to,
                              int to_node) const {
  std::vector<sg::Link*> links;
  double route_s = 0;
  from->route_to(to, links, &route_s);
  const MessageCosts* messages = messages_between(from_node, to_node);
  if (messages == nullptr) return {.latency_s = route_s, .messages = nullptr};
  const double contained_s = kind(from_node).egress_latency_s() + kind(to_node).egress_latency_s();
  return {.latency_s = from_node == to_node ? 0 : std::max(0.0, route_s - contained_s),
          .messages = messages};
}

sg::Host* Cluster::host(int node, int device) const {
  return hosts_.at(static_cast<std::size_t>(node)).at(static_cast<std::size_t>(device));
}

sg::Host* Cluster::channel_host(int node, int device) const {
  const auto& channels = channel_hosts_.at(static_cast<std::size_t>(node));
  return channels.empty() ? host(node, device) : channels.at(static_cast<std::size_t>(device));
}

void Cluster::run(const std::function<void()>& program, int stack_kib) {
  sg::Engine::set_config("contexts/stack-size:" + std::to_string(stack_kib));
  // SimGrid requests zeroed stacks. Mapped stacks take only the memory that is used; stacks from
  // the heap, which malloc would use after it has freed some, would be cleared.
  mallopt(M_MMAP_THRESHOLD, 1024 * stack_kib / 2);
  mallopt(M_MMAP_MAX, std::numeric_limits<int>::max());
  sg::Actor::create("epochcast", hosts_.front().front(), program);
  engine().run();
}

}  // namespace epochcast::sim
