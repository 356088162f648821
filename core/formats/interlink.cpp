// SPDX-License-Identifier: Apache-2.0
#include "core/formats/interlink.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/text/plausible.hpp"
#include "core/formats/link_format.hpp"
#include "core/formats/message_costs_format.hpp"

namespace epochcast {
namespace {

constexpr int kMostCount = 1'000'000;
constexpr int kMostLevels = 32;
constexpr double kMostLinks = 4e6;

constexpr Named<NetworkTopology> kNetworkTopologies[] = {{"star", NetworkTopology::star},
                                                         {"fat-tree", NetworkTopology::fat_tree},
                                                         {"torus", NetworkTopology::torus},
                                                         {"dragonfly", NetworkTopology::dragonfly}};

std::vector<int> read_counts(const JsonInput& input, std::size_t at_least) {
  std::vector<int> counts;
  for (const JsonInput& element : input.elements(at_least)) {
    counts.push_back(static_cast<int>(element.integer(1, kMostCount)));
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

/// Cables from nodes to routers, and between all routers of a chassis, equal routers of a group's
/// chassis, and groups.
double dragonfly_links(const Interlink& network) {
  const auto pairs = [](double count) { return count * (count - 1) / 2; };
  const double groups = network.groups;
  const double chassis = network.chassis;
  const double routers = network.routers;
  return groups * chassis * routers * network.nodes_per_router + groups * chassis * pairs(routers) +
         groups * routers * pairs(chassis) + pairs(groups);
}

void read_fat_tree(JsonInput& input, Interlink& network) {
  network.down = read_counts(input.at("down"), 1);
  network.up = read_counts(input.at("up"), 1);
  network.cables = read_counts(input.at("cables"), 1);
  if (network.up.size() != network.down.size() || network.cables.size() != network.down.size()) {
    input.problem("\"down\", \"up\" and \"cables\" need one number per level each");
  }
}

void read_dragonfly(JsonInput& input, Interlink& network) {
  const auto count = [&input](const char* key) {
    return static_cast<int>(input.at(key).integer(1, kMostCount));
  };
  network.groups = count("groups");
  network.chassis = count("chassis");
  network.routers = count("routers");
  network.nodes_per_router = count("nodes_per_router");
  JsonInput cables = input.at("cables");
  network.cables = read_counts(cables, 1);
  if (network.cables.size() != 3)
    cables.fail("three numbers: cables between groups, chassis, routers");
}

}  // namespace

double read_of_link(const JsonInput& input, Dimension dimension, bool may_be_zero) {
  const double value = input.quantity(dimension, may_be_zero);
  if (!is_plausible_of_link(dimension, value)) input.fail(plausible_text_of_link(dimension));
  return value;
}

void put_link(nlohmann::ordered_json& json, const LinkSpec& link) {
  json["bandwidth"] = quantity_text(link.bytes_per_s, Dimension::bytes_per_s);
  json["latency"] = quantity_text(link.latency_s, Dimension::seconds);
}

LinkSpec read_link(JsonInput& input) {
  return {.bytes_per_s = read_of_link(input.at("bandwidth"), Dimension::bytes_per_s),
          .latency_s = read_of_link(input.at("latency"), Dimension::seconds, true)};
}

void put_backbone(nlohmann::ordered_json& json, const std::optional<double>& bytes_per_s) {
  if (bytes_per_s) json["backbone"] = quantity_text(*bytes_per_s, Dimension::bytes_per_s);
}

std::optional<double> read_backbone(JsonInput& input) {
  const auto backbone = input.maybe("backbone");
  if (!backbone) return std::nullopt;
  return read_of_link(*backbone, Dimension::bytes_per_s);
}

void put_messages(nlohmann::ordered_json& json, const std::optional<MessageCosts>& messages) {
  if (messages) json["messages"] = to_json(*messages);
}

std::optional<MessageCosts> read_messages(JsonInput& input, const LinkSpec& link) {
  const auto messages = input.maybe("messages");
  if (!messages) return std::nullopt;
  if (link.latency_s == 0) input.problem("has \"messages\", so its \"latency\" must not be 0");
  return read_message_costs(*messages);
}

nlohmann::ordered_json to_json(const Interlink& network) {
  nlohmann::ordered_json json = {{"topology", name_of(network.topology, kNetworkTopologies)}};
  put_link(json, network.link);
  switch (network.topology) {
    case NetworkTopology::star:
      put_backbone(json, network.backbone_bytes_per_s);
      break;
    case NetworkTopology::fat_tree:
      json["down"] = network.down;
      json["up"] = network.up;
      json["cables"] = network.cables;
      break;
    case NetworkTopology::torus:
      json["dimensions"] = network.dimensions;
      break;
    case NetworkTopology::dragonfly:
      json["groups"] = network.groups;
      json["chassis"] = network.chassis;
      json["routers"] = network.routers;
      json["nodes_per_router"] = network.nodes_per_router;
      json["cables"] = network.cables;
      break;
  }
  put_messages(json, network.messages);
  json["source"] = to_json(network.source);
  return json;
}

Interlink read_interlink(JsonInput input) {
  Interlink network;
  network.topology = read_topology(input, kNetworkTopologies);
  network.link = read_link(input);
  switch (network.topology) {
    case NetworkTopology::star:
      network.backbone_bytes_per_s = read_backbone(input);
      break;
    case NetworkTopology::fat_tree:
      read_fat_tree(input, network);
      break;
    case NetworkTopology::torus:
      network.dimensions = read_counts(input.at("dimensions"), 1);
      break;
    case NetworkTopology::dragonfly:
      read_dragonfly(input, network);
      break;
  }
  if (const std::string why = why_impossible(network); !why.empty()) input.problem(why);
  network.messages = read_messages(input, network.link);
  network.source = read_source(input.at("source"));
  input.finish();
  return network;
}

std::string why_impossible(const Interlink& network) {
  if (network.down.size() > kMostLevels) {
    return "has " + std::to_string(network.down.size()) + " levels; at most 32 can be modelled";
  }
  // SimGrid links router n of a group's first chassis to group n (DragonflyZone::generate_links).
  if (network.groups > 1 && network.routers < network.groups) {
    return "has " + std::to_string(network.routers) + " routers in a chassis and " +
           std::to_string(network.groups) +
           " groups; it needs as many routers, each of which is linked to one group";
  }
  if (fat_tree_links(network) > kMostLinks || dragonfly_links(network) > kMostLinks)
    return "has more than 4000000 links";
  return {};
}

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

}  // namespace epochcast
