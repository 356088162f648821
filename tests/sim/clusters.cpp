// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/clusters.hpp"

#include <algorithm>

#include "core/formats/node_links.hpp"
#include "sim/platform/xml_platform.hpp"
#include "tests/sim/in_process.hpp"

namespace epochcast::tests {
namespace {

const nlohmann::json kSource = {{"grade", "estimated"}, {"method", "test"}};

nlohmann::json device(const std::string& device_class, int count, const std::string& reduce) {
  return {{"class", device_class},
          {"model", device_class + "-a"},
          {"count", count},
          {"memory", "16GiB"},
          {"reduce", reduce}};
}

nlohmann::json to_json(const Observed& observed) {
  nlohmann::json json = {{"messages", observed.messages}, {"passes", observed.passes}};
  for (std::size_t i = 0; i < observed.now_s.size(); ++i) {
    const PhaseTimes& phases = observed.phases[i];
    const Traffic& traffic = observed.traffic[i];
    json["ranks"].push_back({observed.now_s[i],
                             phases.compute_s,
                             phases.exposed_communication_s,
                             phases.blocked_s,
                             traffic.intra_node_bytes,
                             traffic.inter_node_bytes});
  }
  return json;
}

Observed from_json(const nlohmann::json& json) {
  Observed observed;
  observed.messages = json["messages"];
  observed.passes = json["passes"];
  for (const auto& rank : json["ranks"]) {
    observed.now_s.push_back(rank[0]);
    observed.phases.push_back(
        {.compute_s = rank[1], .exposed_communication_s = rank[2], .blocked_s = rank[3]});
    observed.traffic.push_back({.intra_node_bytes = rank[4], .inter_node_bytes = rank[5]});
  }
  return observed;
}

Observed run_here(const Platform& given,
                  const Program& program,
                  const sim::SimOptions& options,
                  const std::string& all_reduce,
                  Participants participants) {
  const Platform platform =
      given.simgrid_xml.empty() ? given : sim::describe_xml_platform(given.simgrid_xml);
  const std::vector<WorkerInfo> workers =
      place(platform, JobConfig{}, "byteps", participants, [](const WorkerInfo&) { return 1.0; });
  sim::Cluster cluster(platform, platform.node_count(), all_reduce == "nccl");
  sim::Runtime runtime(cluster,
                       workers,
                       {.algorithm = all_reduce, .servers = {}, .links = node_links(platform)},
                       options);
  Observed observed;
  const auto measured = [&](Fabric& fabric) {
    program(fabric);
    const auto rank = static_cast<std::size_t>(fabric.rank());
    observed.now_s[rank] = fabric.now_s();
    observed.phases[rank] = fabric.phases();
    observed.traffic[rank] = fabric.traffic();
  };
  observed.now_s.resize(workers.size());
  observed.phases.resize(workers.size());
  observed.traffic.resize(workers.size());
  std::exception_ptr error;
  cluster.run([&] {
    try {
      do {
        ++observed.passes;
      } while (!runtime.run_pass(measured, {}));
    } catch (const std::exception&) {
      error = std::current_exception();
    }
  });
  if (error) std::rethrow_exception(error);
  observed.messages = runtime.simulated_messages();
  return observed;
}

}  // namespace

Platform plain_star(int ranks, const TestLink& link, double reduce_s_per_byte) {
  DeviceGroup gpu;
  gpu.device_class = "gpu";
  gpu.model = "gpu-a";
  gpu.reduce_bytes_per_s = reduce_s_per_byte > 0 ? 1 / reduce_s_per_byte : 0;
  Platform platform;
  platform.name = "star";
  platform.nodes.push_back({.name = "node", .count = ranks, .devices = {gpu}, .interconnect = {}});
  Interlink network;
  network.link = {.bytes_per_s = link.bytes_per_s, .latency_s = link.latency_s};
  platform.network = network;
  return platform;
}

nlohmann::json pcie() {
  return {{"topology", "pcie"}, {"bandwidth", "10GBps"}, {"latency", "1us"}, {"source", kSource}};
}

nlohmann::json pcie_with_backbone() {
  nlohmann::json json = pcie();
  json["backbone"] = "15GBps";
  return json;
}

nlohmann::json nvlink() {
  return {{"topology", "nvlink"},
          {"bandwidth", "50GBps"},
          {"latency", "1us"},
          {"pcie", {{"bandwidth", "10GBps"}, {"latency", "2us"}}},
          {"source", kSource}};
}

nlohmann::json nvswitch() {
  nlohmann::json json = nvlink();
  json["topology"] = "nvswitch";
  return json;
}

nlohmann::json shared_memory() {
  return {{"topology", "shared-memory"},
          {"bandwidth", "20GBps"},
          {"latency", "1us"},
          {"source", kSource}};
}

nlohmann::json star() {
  return {{"topology", "star"}, {"bandwidth", "3GBps"}, {"latency", "5us"}, {"source", kSource}};
}

nlohmann::json fat_tree() {
  nlohmann::json json = star();
  json["topology"] = "fat-tree";
  json["down"] = {2, 2};
  json["up"] = {1, 2};
  json["cables"] = {1, 1};
  return json;
}

nlohmann::json torus() {
  nlohmann::json json = star();
  json["topology"] = "torus";
  json["dimensions"] = {2, 2};
  return json;
}

nlohmann::json dragonfly() {
  nlohmann::json json = star();
  json["topology"] = "dragonfly";
  json["groups"] = json["chassis"] = json["routers"] = json["nodes_per_router"] = 2;
  json["cables"] = {1, 1, 1};
  return json;
}

Platform mixed(int nodes,
               int gpus,
               int cpus,
               const nlohmann::json& interconnect,
               const nlohmann::json& network) {
  nlohmann::json node = {{"name", "mixed"}, {"count", nodes}, {"interconnect", interconnect}};
  if (gpus > 0) node["devices"].push_back(device("gpu", gpus, "100GBps"));
  if (cpus > 0) node["devices"].push_back(device("cpu", cpus, "10GBps"));
  nlohmann::json document = {{"schema", "epochcast.platform/1"},
                             {"name", "test"},
                             {"title", "test"},
                             {"source", kSource},
                             {"nodes", {node}}};
  if (!network.is_null()) document["network"] = network;
  return parse_platform(document, "test.json");
}

double Observed::last_s() const { return *std::max_element(now_s.begin(), now_s.end()); }

Observed observe(const Platform& platform,
                 const Program& program,
                 const sim::SimOptions& options,
                 const std::string& all_reduce,
                 Participants participants) {
  return from_json(in_process(
      [&] { return to_json(run_here(platform, program, options, all_reduce, participants)); }));
}

Observed observe_exactly(const Platform& platform,
                         const Program& program,
                         const std::string& all_reduce) {
  return observe(platform,
                 program,
                 {.acceleration = sim::Acceleration::none, .fixed_exchange = std::nullopt},
                 all_reduce);
}

double all_reduce_s(const Platform& platform, const std::string& algorithm, double bytes) {
  return observe(
             platform,
             [bytes](Fabric& fabric) {
               fabric.all_reduce(payload_of_bytes(bytes), 1, fabric.world());
             },
             {},
             algorithm)
      .last_s();
}

}  // namespace epochcast::tests
