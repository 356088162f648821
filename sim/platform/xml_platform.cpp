// SPDX-License-Identifier: Apache-2.0
#include "sim/platform/xml_platform.hpp"

#include <algorithm>
#include <map>
#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/s4u.hpp>

#include "base/error.hpp"
#include "base/text/plain_text.hpp"
#include "base/text/plausible.hpp"
#include "sim/engine.hpp"
#include "sim/platform/xml_checks.hpp"
#include "sim/platform/xml_trial.hpp"

namespace epochcast::sim {
namespace {

namespace sg = simgrid::s4u;

std::string property(const sg::Host& host, const char* name, const std::string& otherwise) {
  const char* value = host.get_property(name);
  return value == nullptr ? otherwise : value;
}

double property(const sg::Host& host,
                const char* name,
                Dimension dimension,
                const std::string& file) {
  const char* value = host.get_property(name);
  if (value == nullptr) return 0;
  const auto number = parse_quantity(value, dimension);
  if (!number || *number <= 0 ||
      (dimension == Dimension::bytes_per_s && !is_plausible_of_link(dimension, *number))) {
    throw UserError(file + ": host " + host.get_name() + ": property " + name + ": got \"" + value +
                    "\"; expected " + expected_text(dimension, value));
  }
  return *number;
}

std::string name_property(const sg::Host& host,
                          const char* name,
                          const std::string& otherwise,
                          const std::string& file) {
  std::string value = property(host, name, otherwise);
  if (is_name(value)) return value;
  throw UserError(file + ": host " + host.get_name() + ": property " + name + ": got \"" + value +
                  "\"; expected " + kExpectedName);
}

using HostsOfZone = std::map<const sg::NetZone*, std::vector<sg::Host*>>;

void append_hosts(sg::NetZone* zone, HostsOfZone& by_zone, std::vector<sg::Host*>& hosts) {
  std::vector<sg::Host*>& own = by_zone[zone];
  std::sort(own.begin(), own.end(), [](const sg::Host* a, const sg::Host* b) {
    return a->get_netpoint()->id() < b->get_netpoint()->id();
  });
  hosts.insert(hosts.end(), own.begin(), own.end());
  for (sg::NetZone* child : zone->get_children()) append_hosts(child, by_zone, hosts);
}

/// In the order of the file; the engine sorts them by name, "node-10" before "node-2".
std::vector<sg::Host*> hosts_in_order() {
  HostsOfZone by_zone;
  for (sg::Host* host : engine().get_all_hosts())
    by_zone[host->get_englobing_zone()].push_back(host);
  std::vector<sg::Host*> hosts;
  append_hosts(engine().get_netzone_root(), by_zone, hosts);
  return hosts;
}

}  // namespace

std::vector<std::vector<sg::Host*>> hosts_by_node() {
  std::vector<std::vector<sg::Host*>> nodes;
  std::map<std::string, std::size_t> index;
  for (sg::Host* host : hosts_in_order()) {
    const std::string node = property(*host, "node", "host " + host->get_name());
    const auto [at, is_new] = index.try_emplace(node, nodes.size());
    if (is_new) nodes.emplace_back();
    nodes[at->second].push_back(host);
  }
  return nodes;
}

Platform describe_xml_platform(const std::string& file) {
  check_xml_platform(file);
  try_xml_platform(file);
  try {
    engine().load_platform(file);
  } catch (const std::exception& error) {
    throw UserError(file + ": SimGrid cannot load it: " + error.what());
  }
  Platform platform;
  platform.name = platform.title = file;
  platform.path = platform.simgrid_xml = file;
  platform.source = {.grade = Grade::estimated, .method = "SimGrid XML platform " + file};
  for (const std::vector<sg::Host*>& hosts : hosts_by_node()) {
    NodeGroup node;
    node.name = hosts.front()->get_name();
    for (const sg::Host* host : hosts) {
      DeviceGroup device;
      device.device_class = name_property(*host, "class", "cpu", file);
      device.model = name_property(*host, "model", device.device_class, file);
      device.is_worker = property(*host, "worker", "true") == "true";
      device.memory_bytes = property(*host, "memory", Dimension::bytes, file);
      device.reduce_bytes_per_s = property(*host, "reduce", Dimension::bytes_per_s, file);
      node.devices.push_back(std::move(device));
    }
    platform.nodes.push_back(std::move(node));
  }
  if (platform.nodes.empty()) throw UserError(file + ": has no hosts");
  return platform;
}

}  // namespace epochcast::sim
