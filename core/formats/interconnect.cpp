// SPDX-License-Identifier: Apache-2.0
#include "core/formats/interconnect.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/formats/link_format.hpp"

namespace epochcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kMostPorts = 1024;
constexpr int kMostLinksOfPair = 64;
constexpr int kMostOfLevel = 1024;

constexpr Named<NodeTopology> kNodeTopologies[] = {{"pcie", NodeTopology::pcie},
                                                   {"nvlink", NodeTopology::nvlink},
                                                   {"nvswitch", NodeTopology::nvswitch},
                                                   {"shared-memory", NodeTopology::shared_memory}};

std::optional<PcieLevel> read_level(JsonInput& input, const char* key) {
  auto found = input.maybe(key);
  if (!found) return std::nullopt;
  PcieLevel level;
  level.devices = static_cast<int>(found->at("devices").integer(1, kMostOfLevel));
  level.bytes_per_s = read_of_link(found->at("bandwidth"), Dimension::bytes_per_s);
  found->finish();
  return level;
}

/// "switch" and "socket", beside the PCIe link.
void read_levels(JsonInput& input, Interconnect& inside) {
  inside.pcie_switch = read_level(input, "switch");
  inside.socket = read_level(input, "socket");
  if (inside.pcie_switch && inside.socket &&
      inside.socket->devices % inside.pcie_switch->devices != 0)
    input.problem("has " + std::to_string(inside.socket->devices) +
                  " devices on a \"socket\", which is no multiple of the " +
                  std::to_string(inside.pcie_switch->devices) + " of a \"switch\"");
}

void put_level(Json& json, const char* key, const std::optional<PcieLevel>& level) {
  if (!level) return;
  json[key] = {{"devices", level->devices},
               {"bandwidth", quantity_text(level->bytes_per_s, Dimension::bytes_per_s)}};
}

/// The index of a device in the node, which has to be none of class "cpu".
int read_accelerator(const JsonInput& input, const std::vector<bool>& accelerators) {
  const auto most = static_cast<std::int64_t>(accelerators.size()) - 1;
  const std::int64_t index = input.integer(0, std::max<std::int64_t>(0, most));
  if (index <= most && !accelerators[static_cast<std::size_t>(index)])
    input.problem("is device " + std::to_string(index) + ", a CPU");
  return static_cast<int>(index);
}

std::vector<NvlinkPair> read_pairs(const JsonInput& input, const std::vector<bool>& accelerators) {
  std::vector<NvlinkPair> pairs;
  for (const JsonInput& each : input.elements(1)) {
    const std::vector<JsonInput> parts = each.elements();
    if (parts.size() != 3) {
      each.fail("two devices and the number of their links, such as [0, 3, 2]");
      continue;
    }
    const NvlinkPair pair = {.one = read_accelerator(parts[0], accelerators),
                             .other = read_accelerator(parts[1], accelerators),
                             .links = static_cast<int>(parts[2].integer(1, kMostLinksOfPair))};
    if (pair.one == pair.other) each.problem("joins a device with itself");
    for (const NvlinkPair& known : pairs) {
      if (known.joins(pair.one, pair.other)) each.problem("is a pair that is listed before");
    }
    pairs.push_back(pair);
  }
  return pairs;
}

}  // namespace

std::vector<bool> accelerators_of(const NodeGroup& group) {
  std::vector<bool> accelerators;
  for (const DeviceGroup& device : group.devices)
    accelerators.insert(
        accelerators.end(), static_cast<std::size_t>(device.count), device.device_class != "cpu");
  return accelerators;
}

void drop_missing_devices(NodeGroup& group) {
  const std::vector<bool> accelerators = accelerators_of(group);
  const auto is_missing = [&](int device) {
    const auto index = static_cast<std::size_t>(device);
    return index >= accelerators.size() || !accelerators[index];
  };
  for (std::vector<int>& near : group.ports) std::erase_if(near, is_missing);
  if (!group.interconnect) return;
  Interconnect& inside = *group.interconnect;
  const bool had_pairs = !inside.pairs.empty();
  std::erase_if(inside.pairs, [&](const NvlinkPair& pair) {
    return is_missing(pair.one) || is_missing(pair.other);
  });
  if (!had_pairs || !inside.pairs.empty()) return;
  // No pair is left: without a list, all would be joined.
  inside.topology = NodeTopology::pcie;
  inside.link = *std::exchange(inside.pcie, std::nullopt);
}

Interconnect read_interconnect(JsonInput input, const std::vector<bool>& accelerators) {
  Interconnect inside;
  inside.topology = read_topology(input, kNodeTopologies);
  inside.link = read_link(input);
  switch (inside.topology) {
    case NodeTopology::nvlink:
    case NodeTopology::nvswitch: {
      JsonInput pcie = input.at("pcie");
      inside.pcie = read_link(pcie);
      read_levels(pcie, inside);
      pcie.finish();
      break;
    }
    case NodeTopology::pcie:
      inside.backbone_bytes_per_s = read_backbone(input);
      read_levels(input, inside);
      break;
    case NodeTopology::shared_memory:
      break;
  }
  if (inside.topology == NodeTopology::nvlink) {
    if (const auto pairs = input.maybe("pairs")) inside.pairs = read_pairs(*pairs, accelerators);
  }
  inside.messages = read_messages(input, inside.link);
  inside.source = read_source(input.at("source"));
  input.finish();
  return inside;
}

Json to_json(const Interconnect& inside) {
  Json json = {{"topology", name_of(inside.topology, kNodeTopologies)}};
  put_link(json, inside.link);
  for (const NvlinkPair& pair : inside.pairs)
    json["pairs"].push_back({pair.one, pair.other, pair.links});
  if (inside.pcie) put_link(json["pcie"], *inside.pcie);
  Json& tree = inside.pcie ? json["pcie"] : json;
  put_level(tree, "switch", inside.pcie_switch);
  put_level(tree, "socket", inside.socket);
  put_backbone(json, inside.backbone_bytes_per_s);
  put_messages(json, inside.messages);
  json["source"] = to_json(inside.source);
  return json;
}

Ports read_ports(const JsonInput& input, const std::vector<bool>& accelerators) {
  Ports ports;
  if (!input.value().is_array()) {
    ports.resize(static_cast<std::size_t>(input.integer(1, kMostPorts)));
    std::vector<int> devices;
    for (std::size_t i = 0; i < accelerators.size(); ++i) {
      if (accelerators[i]) devices.push_back(static_cast<int>(i));
    }
    for (std::size_t i = 0; i < devices.size(); ++i)
      ports[i * ports.size() / devices.size()].push_back(devices[i]);
    return ports;
  }
  for (const JsonInput& each : input.elements(1)) {
    std::vector<int>& near = ports.emplace_back();
    for (const JsonInput& device : each.elements())
      near.push_back(read_accelerator(device, accelerators));
  }
  if (ports.size() > kMostPorts) input.fail("at most 1024 ports");
  return ports;
}

Json ports_json(const Ports& ports) { return ports; }

}  // namespace epochcast
