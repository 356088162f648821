// SPDX-License-Identifier: Apache-2.0
#include "core/platform.hpp"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/error.hpp"
#include "core/suggest.hpp"

namespace epochcast {
namespace {

constexpr int kMostNodes = 1'000'000;
constexpr double kMostLinks = 4e6;
constexpr int kMostDevices = 1024;            // of one kind in a node
constexpr int kMostDevicesOfAll = 1'000'000;  // of the platform

LinkSpec read_link(JsonInput& input) {
  return {.bytes_per_s = input.at("bandwidth").quantity(Dimension::bytes_per_s),
          .latency_s = input.at("latency").quantity(Dimension::seconds, true)};
}

std::optional<double> read_backbone(JsonInput& input) {
  const auto backbone = input.maybe("backbone");
  if (!backbone) return std::nullopt;
  return backbone->quantity(Dimension::bytes_per_s);
}

std::optional<MessageCosts> read_messages(JsonInput& input, const LinkSpec& link) {
  const auto messages = input.maybe("messages");
  if (!messages) return std::nullopt;
  if (link.latency_s == 0) input.problem("has \"messages\", so its \"latency\" must not be 0");
  return read_message_costs(*messages);
}

DeviceGroup read_device(JsonInput input) {
  DeviceGroup device;
  device.device_class = input.at("class").identifier();
  device.model = input.at("model").identifier();
  if (const auto count = input.maybe("count")) {
    device.count = static_cast<int>(count->integer(1, kMostDevices));
  }
  if (const auto memory = input.maybe("memory")) {
    device.memory_bytes = memory->quantity(Dimension::bytes);
  }
  if (const auto reduce = input.maybe("reduce")) {
    device.reduce_s_per_byte = 1 / reduce->quantity(Dimension::bytes_per_s);
  }
  if (const auto worker = input.maybe("worker")) device.is_worker = worker->boolean();
  input.finish();
  return device;
}

template <typename Topology>
struct Named {
  const char* name;
  Topology value;
};

template <typename Topology, std::size_t N>
Topology read_topology(JsonInput& input, const Named<Topology> (&known)[N]) {
  JsonInput found = input.at("topology");
  std::vector<std::string> names;
  for (const auto& [name, value] : known) {
    if (found.value() == name) return value;
    names.emplace_back(name);
  }
  if (found.value().is_string()) {
    found.problem(unknown_name("topology", found.value().get<std::string>(), names));
  } else {
    found.fail("the name of a topology");
  }
  return known[0].value;
}

Interconnect read_interconnect(JsonInput input) {
  constexpr Named<NodeTopology> kTopologies[] = {{"pcie", NodeTopology::pcie},
                                                 {"nvlink", NodeTopology::nvlink},
                                                 {"shared-memory", NodeTopology::shared_memory}};
  Interconnect inside;
  inside.topology = read_topology(input, kTopologies);
  inside.link = read_link(input);
  if (inside.topology == NodeTopology::nvlink) {
    JsonInput pcie = input.at("pcie");
    inside.pcie = read_link(pcie);
    pcie.finish();
  }
  if (inside.topology == NodeTopology::pcie) inside.backbone_bytes_per_s = read_backbone(input);
  inside.messages = read_messages(input, inside.link);
  inside.source = read_source(input.at("source"));
  input.finish();
  return inside;
}

std::vector<int> read_counts(const JsonInput& input, std::size_t at_least) {
  std::vector<int> counts;
  for (const JsonInput& element : input.elements(at_least)) {
    counts.push_back(static_cast<int>(element.integer(1, kMostNodes)));
  }
  return counts;
}

/// Links between all levels: an element of level l has up[l]·cables[l] of them to level l + 1.
double fat_tree_links(const Interlink& network) {
  double links = 0;
  const std::size_t levels =
      std::min({network.down.size(), network.up.size(), network.cables.size()});
  for (std::size_t level = 0; level < levels; ++level) {
    double elements = 1;
    for (std::size_t below = 0; below < level; ++below) elements *= network.up[below];
    for (std::size_t above = level; above < levels; ++above) elements *= network.down[above];
    links += elements * network.up[level] * network.cables[level];
  }
  return links;
}

Interlink read_network(JsonInput input) {
  constexpr Named<NetworkTopology> kTopologies[] = {{"star", NetworkTopology::star},
                                                    {"fat-tree", NetworkTopology::fat_tree},
                                                    {"torus", NetworkTopology::torus},
                                                    {"dragonfly", NetworkTopology::dragonfly}};
  Interlink network;
  network.topology = read_topology(input, kTopologies);
  network.link = read_link(input);
  switch (network.topology) {
    case NetworkTopology::star:
      network.backbone_bytes_per_s = read_backbone(input);
      break;
    case NetworkTopology::fat_tree:
      network.down = read_counts(input.at("down"), 1);
      network.up = read_counts(input.at("up"), 1);
      network.cables = read_counts(input.at("cables"), 1);
      if (network.up.size() != network.down.size() ||
          network.cables.size() != network.down.size()) {
        input.problem("\"down\", \"up\" and \"cables\" need one number per level each");
      }
      if (fat_tree_links(network) > kMostLinks) {
        input.problem("has more than 4000000 links");
      }
      break;
    case NetworkTopology::torus:
      network.dimensions = read_counts(input.at("dimensions"), 1);
      break;
    case NetworkTopology::dragonfly: {
      const auto count = [&input](const char* key) {
        return static_cast<int>(input.at(key).integer(1, kMostNodes));
      };
      network.groups = count("groups");
      network.chassis = count("chassis");
      network.routers = count("routers");
      network.nodes_per_router = count("nodes_per_router");
      JsonInput cables = input.at("cables");
      network.cables = read_counts(cables, 1);
      if (network.cables.size() != 3)
        cables.fail("three numbers: cables between groups, chassis, routers");
      break;
    }
  }
  network.messages = read_messages(input, network.link);
  network.source = read_source(input.at("source"));
  input.finish();
  return network;
}

NodeGroup read_nodes(JsonInput input) {
  NodeGroup group;
  group.name = input.at("name").identifier();
  group.count = static_cast<int>(input.at("count").integer(1, kMostNodes));
  int devices = 0;
  for (const JsonInput& device : input.at("devices").elements(1)) {
    group.devices.push_back(read_device(device));
    devices += group.devices.back().count;
  }
  if (const auto inside = input.maybe("interconnect")) {
    group.interconnect = read_interconnect(*inside);
  } else if (devices > 1) {
    input.problem("has " + std::to_string(devices) + " devices, so it needs an \"interconnect\"");
  }
  input.finish();
  return group;
}

}  // namespace

std::int64_t Interlink::capacity() const {
  const auto product = [](const std::vector<int>& factors) {
    return std::accumulate(
        factors.begin(), factors.end(), std::int64_t{1}, [](std::int64_t a, int b) {
          return std::min<std::int64_t>(a * b, std::int64_t{1} << 40);
        });
  };
  switch (topology) {
    case NetworkTopology::star:
      return 0;
    case NetworkTopology::fat_tree:
      return product(down);
    case NetworkTopology::torus:
      return product(dimensions);
    case NetworkTopology::dragonfly:
      return product({groups, chassis, routers, nodes_per_router});
  }
  return 0;
}

int Platform::node_count() const {
  return std::accumulate(nodes.begin(), nodes.end(), 0, [](int sum, const NodeGroup& group) {
    return sum + group.count;
  });
}

Grade Platform::grade() const {
  Grade grade = source.grade;
  for (const NodeGroup& group : nodes) {
    if (group.interconnect) grade = lowest(grade, group.interconnect->source.grade);
  }
  if (network) grade = lowest(grade, network->source.grade);
  return grade;
}

Platform parse_platform(const nlohmann::json& document, const std::string& file) {
  Problems problems(file);
  JsonInput top = open_document(document, "epochcast.platform/1", problems);
  Platform platform;
  platform.path = file;
  platform.name = top.at("name").identifier();
  platform.title = top.at("title").string();
  platform.source = read_source(top.at("source"));
  std::int64_t count = 0;
  std::int64_t devices = 0;
  JsonInput nodes = top.at("nodes");
  for (const JsonInput& group : nodes.elements(1)) {
    platform.nodes.push_back(read_nodes(group));
    count += platform.nodes.back().count;
    for (const DeviceGroup& device : platform.nodes.back().devices) {
      devices += std::int64_t{platform.nodes.back().count} * device.count;
    }
  }
  if (count > kMostNodes) {
    nodes.problem("has " + std::to_string(count) + " nodes; at most 1000000 can be modelled");
  }
  if (devices > kMostDevicesOfAll) {
    nodes.problem("has " + std::to_string(devices) + " devices; at most 1000000 can be modelled");
  }
  if (auto network = top.maybe("network")) {
    platform.network = read_network(*network);
    const std::int64_t capacity = platform.network->capacity();
    if (capacity > kMostNodes) {
      network->problem("has room for " + std::to_string(capacity) +
                       " nodes; at most 1000000 can be modelled");
    } else if (capacity > 0 && capacity < count) {
      network->problem("has room for " + std::to_string(capacity) + " nodes, the platform has " +
                       std::to_string(count));
    }
  } else if (count > 1) {
    top.problem("has " + std::to_string(count) + " nodes, so it needs a \"network\"");
  }
  top.finish();
  problems.throw_if_any();
  return platform;
}

Platform load_platform(const std::filesystem::path& file) {
  return parse_platform(read_json_file(file), file.string());
}

}  // namespace epochcast
