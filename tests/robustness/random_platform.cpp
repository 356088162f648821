// SPDX-License-Identifier: Apache-2.0
#include "tests/robustness/random_platform.hpp"

#include <algorithm>
#include <numeric>
#include <string>

namespace epochcast::tests {
namespace {

LinkSpec random_link(Dice& dice) {
  return {.bytes_per_s = dice.magnitude(1e9, 1e11), .latency_s = dice.magnitude(1e-7, 1e-5)};
}

std::optional<MessageCosts> random_messages(Dice& dice) {
  MessageCosts costs;
  costs.regimes = {{.from_bytes = 0,
                    .latency_s = dice.magnitude(1e-6, 1e-4),
                    .bytes_per_s = dice.magnitude(1e8, 1e10)},
                   {.from_bytes = std::round(dice.magnitude(1e3, 1e6)),
                    .latency_s = dice.magnitude(1e-6, 1e-4),
                    .bytes_per_s = dice.magnitude(1e8, 1e10)}};
  return costs;
}

Interconnect random_interconnect(Dice& dice, const PlatformRange& range) {
  Interconnect inside;
  inside.topology = dice.one_of({NodeTopology::pcie,
                                 NodeTopology::nvlink,
                                 NodeTopology::nvswitch,
                                 NodeTopology::shared_memory});
  inside.link = random_link(dice);
  if (inside.topology == NodeTopology::nvlink || inside.topology == NodeTopology::nvswitch)
    inside.pcie = random_link(dice);
  if (inside.topology == NodeTopology::pcie && dice.chance(0.5))
    inside.backbone_bytes_per_s = dice.magnitude(1e9, 1e11);
  if (range.has_messages && dice.chance(0.3)) inside.messages = random_messages(dice);
  return inside;
}

std::vector<DeviceGroup> random_devices(Dice& dice, int count) {
  DeviceGroup gpus;
  gpus.device_class = "gpu";
  gpus.model = "gpu-a";
  gpus.count = dice.between(0, count);
  DeviceGroup cpus = gpus;
  cpus.device_class = "cpu";
  cpus.model = "cpu-a";
  cpus.count = count - gpus.count;
  std::vector<DeviceGroup> devices;
  for (DeviceGroup& group : {std::ref(gpus), std::ref(cpus)}) {
    if (group.count == 0) continue;
    if (dice.chance(0.7)) group.reduce_bytes_per_s = dice.magnitude(1e9, 1e12);
    devices.push_back(group);
  }
  if (dice.chance(0.5)) std::reverse(devices.begin(), devices.end());
  return devices;
}

int device_count(const NodeGroup& group) {
  return std::accumulate(
      group.devices.begin(), group.devices.end(), 0, [](int sum, const DeviceGroup& device) {
        return sum + device.count;
      });
}

NodeGroup random_group(Dice& dice, const PlatformRange& range, int most_devices) {
  NodeGroup group;
  const int devices = dice.chance(0.4) ? 1 : dice.between(1, std::min(8, most_devices));
  group.devices = random_devices(dice, devices);
  group.count = dice.between(1, std::clamp(most_devices / devices, 1, 4));
  if (devices > 1 || dice.chance(0.3)) group.interconnect = random_interconnect(dice, range);
  return group;
}

/// Factors whose product is at least `nodes`.
std::vector<int> random_factors(Dice& dice, int nodes) {
  std::vector<int> factors;
  for (int room = 1; room < nodes || factors.empty(); room *= factors.back())
    factors.push_back(dice.between(1, 4));
  return factors;
}

Interlink random_network(Dice& dice, const PlatformRange& range, int nodes) {
  Interlink network;
  network.topology = dice.one_of(range.topologies);
  network.link = random_link(dice);
  if (range.has_messages && dice.chance(0.3)) network.messages = random_messages(dice);
  switch (network.topology) {
    case NetworkTopology::star:
      if (dice.chance(0.5)) network.backbone_bytes_per_s = dice.magnitude(1e9, 1e11);
      break;
    case NetworkTopology::fat_tree:
      network.down = random_factors(dice, nodes);
      for (std::size_t level = 0; level < network.down.size(); ++level) {
        network.up.push_back(level == 0 ? 1 : dice.between(1, 3));
        network.cables.push_back(dice.between(1, 2));
      }
      break;
    case NetworkTopology::torus:
      network.dimensions = random_factors(dice, nodes);
      break;
    case NetworkTopology::dragonfly:
      network.groups = dice.between(1, 3);
      network.chassis = dice.between(1, 2);
      network.routers = dice.between(network.groups, 3);
      network.nodes_per_router =
          (nodes - 1) / (network.groups * network.chassis * network.routers) + 1;
      network.cables = {dice.between(1, 2), dice.between(1, 2), dice.between(1, 2)};
      break;
  }
  return network;
}

void add_uplinks(Platform& platform, Dice& dice) {
  for (NodeGroup& group : platform.nodes) {
    if (!dice.chance(0.3)) continue;
    group.uplink = Uplink{.link = random_link(dice), .messages = {}, .source = {}};
    if (platform.network->messages && dice.chance(0.7))
      group.uplink->messages = random_messages(dice);
  }
}

}  // namespace

Platform random_platform(Dice& dice, const PlatformRange& range) {
  Platform platform;
  platform.name = "random";
  platform.source.grade = Grade::estimated;
  int room = dice.between(2, range.most_devices);
  do {
    NodeGroup group = random_group(dice, range, room);
    group.name = "group-" + std::to_string(platform.nodes.size());
    room -= group.count * device_count(group);
    platform.nodes.push_back(std::move(group));
  } while (room > 0 && static_cast<int>(platform.nodes.size()) < range.most_groups);
  const int nodes = platform.node_count();
  if (nodes > 1 || dice.chance(0.2)) platform.network = random_network(dice, range, nodes);
  if (platform.network && platform.network->topology == NetworkTopology::star)
    add_uplinks(platform, dice);
  return platform;
}

}  // namespace epochcast::tests
