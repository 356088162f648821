// SPDX-License-Identifier: Apache-2.0
#include "core/formats/platform.hpp"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/error.hpp"
#include "base/json/json_file.hpp"
#include "base/json/json_number.hpp"
#include "core/costs/overlap_cost.hpp"
#include "core/formats/interconnect.hpp"
#include "core/formats/interlink.hpp"
#include "core/formats/link_format.hpp"

namespace epochcast {
namespace {

constexpr int kMostNodes = 1'000'000;
constexpr int kMostDevices = 1024;            // of one kind in a node
constexpr int kMostDevicesOfAll = 1'000'000;  // of the platform
constexpr double kMostNvlinks = 4e6;

using Json = nlohmann::ordered_json;

constexpr const char* kPlatformSchema = "epochcast.platform/1";

std::optional<DeviceOverlap> read_device_overlap(JsonInput& input) {
  auto found = input.maybe("overlap");
  if (!found) return std::nullopt;
  DeviceOverlap overlap;
  overlap.batch_slowdown = read_number(found->at("batch"), 1, kMostSlowdown);
  overlap.exchange_slowdown = read_number(found->at("exchange"), 1, kMostSlowdown);
  overlap.source = read_source(found->at("source"));
  found->finish();
  return overlap;
}

std::optional<BatchNoise> read_batch_noise(JsonInput& input) {
  constexpr double kMostDeviation = 1;
  auto found = input.maybe("batch_noise");
  if (!found) return std::nullopt;
  BatchNoise noise;
  noise.deviation = read_number(found->at("deviation"), 0, kMostDeviation);
  noise.source = read_source(found->at("source"));
  found->finish();
  return noise;
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
    device.reduce_bytes_per_s = read_of_link(*reduce, Dimension::bytes_per_s);
  }
  if (const auto worker = input.maybe("worker")) device.is_worker = worker->boolean();
  device.power = read_power(input);
  device.overlap = read_device_overlap(input);
  device.batch_noise = read_batch_noise(input);
  input.finish();
  return device;
}

Uplink read_uplink(JsonInput input) {
  Uplink uplink;
  uplink.link = read_link(input);
  uplink.messages = read_messages(input, uplink.link);
  uplink.source = read_source(input.at("source"));
  input.finish();
  return uplink;
}

/// Links between the GPUs of all nodes of a group, where they are joined pairwise.
double nvlinks(const NodeGroup& group) {
  if (!group.interconnect || group.interconnect->topology != NodeTopology::nvlink) return 0;
  double gpus = 0;
  for (const DeviceGroup& device : group.devices) {
    if (device.device_class != "cpu") gpus += device.count;
  }
  return group.count * gpus * (gpus - 1) / 2;
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
    group.interconnect = read_interconnect(*inside, accelerators_of(group));
  } else if (devices > 1) {
    input.problem("has " + std::to_string(devices) + " devices, so it needs an \"interconnect\"");
  }
  if (const auto ports = input.maybe("ports")) {
    group.ports = read_ports(*ports, accelerators_of(group));
    const bool can_have =
        group.interconnect && group.interconnect->topology != NodeTopology::shared_memory;
    if (!can_have)
      ports->problem("needs an \"interconnect\" with a link of each device, such as pcie");
  }
  if (const auto uplink = input.maybe("uplink")) group.uplink = read_uplink(*uplink);
  group.power = read_power(input);
  group.price = read_price(input);
  input.finish();
  return group;
}

Json device_json(const DeviceGroup& device) {
  Json json = {{"class", device.device_class}, {"model", device.model}, {"count", device.count}};
  if (device.memory_bytes > 0)
    json["memory"] = quantity_text(device.memory_bytes, Dimension::bytes);
  if (device.reduce_bytes_per_s > 0)
    json["reduce"] = quantity_text(device.reduce_bytes_per_s, Dimension::bytes_per_s);
  if (!device.is_worker) json["worker"] = false;
  put_power(json, device.power);
  if (device.overlap) {
    json["overlap"] = {{"batch", device.overlap->batch_slowdown},
                       {"exchange", device.overlap->exchange_slowdown},
                       {"source", to_json(device.overlap->source)}};
  }
  if (device.batch_noise) {
    json["batch_noise"] = {{"deviation", device.batch_noise->deviation},
                           {"source", to_json(device.batch_noise->source)}};
  }
  return json;
}

Json uplink_json(const Uplink& uplink) {
  Json json;
  put_link(json, uplink.link);
  put_messages(json, uplink.messages);
  json["source"] = to_json(uplink.source);
  return json;
}

Json nodes_json(const NodeGroup& group) {
  Json json = {{"name", group.name}, {"count", group.count}, {"devices", Json::array()}};
  for (const DeviceGroup& device : group.devices) json["devices"].push_back(device_json(device));
  if (group.interconnect) json["interconnect"] = to_json(*group.interconnect);
  if (!group.ports.empty()) json["ports"] = ports_json(group.ports);
  if (group.uplink) json["uplink"] = uplink_json(*group.uplink);
  put_power(json, group.power);
  put_price(json, group.price);
  return json;
}

/// Reports prices in several currencies, which cannot be added.
void check_currencies(const Platform& platform, JsonInput& nodes) {
  const NodeGroup* first = nullptr;
  for (const NodeGroup& group : platform.nodes) {
    // A price that could not be read is reported already.
    if (!group.price || group.price->rate.currency.empty()) continue;
    if (first == nullptr) first = &group;
    const std::string& currency = group.price->rate.currency;
    if (currency != first->price->rate.currency)
      nodes.problem("have prices in " + first->price->rate.currency + " (\"" + first->name +
                    "\") and in " + currency + " (\"" + group.name + "\"); expected one currency");
  }
}

/// Reports uplinks that the topology does not allow.
void check_uplinks(const Platform& platform, JsonInput& network) {
  const Interlink& between = *platform.network;
  for (const NodeGroup& group : platform.nodes) {
    if (!group.uplink) continue;
    if (between.topology != NetworkTopology::star)
      network.problem("is no star, so the nodes \"" + group.name +
                      "\" cannot have an \"uplink\" of their own");
    if (group.uplink->messages && !between.messages)
      network.problem("needs \"messages\", as the \"uplink\" of the nodes \"" + group.name +
                      "\" has");
  }
}

}  // namespace

int Platform::node_count() const {
  return std::accumulate(nodes.begin(), nodes.end(), 0, [](int sum, const NodeGroup& group) {
    return sum + group.count;
  });
}

Grade Platform::grade() const {
  Grade grade = source.grade;
  for (const NodeGroup& group : nodes) {
    if (group.interconnect) grade = lowest(grade, group.interconnect->source.grade);
    if (group.uplink) grade = lowest(grade, group.uplink->source.grade);
  }
  if (network) grade = lowest(grade, network->source.grade);
  return grade;
}

Platform parse_platform(const nlohmann::json& document, const std::string& file) {
  Problems problems(file);
  JsonInput top = open_document(document, kPlatformSchema, problems);
  Platform platform;
  platform.path = file;
  platform.name = top.at("name").identifier();
  platform.title = top.at("title").string();
  platform.source = read_source(top.at("source"));
  std::int64_t count = 0;
  std::int64_t devices = 0;
  double links = 0;
  JsonInput nodes = top.at("nodes");
  for (const JsonInput& group : nodes.elements(1)) {
    platform.nodes.push_back(read_nodes(group));
    count += platform.nodes.back().count;
    links += nvlinks(platform.nodes.back());
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
  check_currencies(platform, nodes);
  if (links > kMostNvlinks) nodes.problem("have more than 4000000 links between GPUs");
  if (auto network = top.maybe("network")) {
    platform.network = read_interlink(*network);
    const std::int64_t capacity = platform.network->capacity();
    if (capacity > kMostNodes) {
      network->problem("has room for " + std::to_string(capacity) +
                       " nodes; at most 1000000 can be modelled");
    } else if (capacity > 0 && capacity < count) {
      network->problem("has room for " + std::to_string(capacity) + " nodes, the platform has " +
                       std::to_string(count));
    }
    check_uplinks(platform, *network);
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

Json to_json(const Platform& platform) {
  Json json = {{"schema", kPlatformSchema},
               {"name", platform.name},
               {"title", platform.title},
               {"source", to_json(platform.source)},
               {"nodes", Json::array()}};
  for (const NodeGroup& group : platform.nodes) json["nodes"].push_back(nodes_json(group));
  if (platform.network) json["network"] = to_json(*platform.network);
  return json;
}

void check_platform(const Platform& platform, const std::string& file) {
  static_cast<void>(parse_platform(nlohmann::json(to_json(platform)), file));
}

}  // namespace epochcast
