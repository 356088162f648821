// SPDX-License-Identifier: Apache-2.0
#include "sim/platform/cluster.hpp"

#include <nlohmann/json.hpp>
#include <simgrid/s4u.hpp>
#include <string>

#include "base/error.hpp"
#include "sim/platform/xml_platform.hpp"
#include "tests/catch.hpp"
#include "tests/sim/in_process.hpp"
#include "tests/sim/jobs.hpp"

namespace epochcast::tests {
namespace {

struct Place {
  int node;
  int device;
};

struct Route {
  std::size_t links = 0;
  double latency_s = 0;
};

Route route(const Platform& platform, Place from, Place to) {
  const nlohmann::json json = in_process([&] {
    const sim::Cluster cluster(platform, platform.node_count());
    std::vector<simgrid::s4u::Link*> links;
    double latency_s = 0;
    cluster.host(from.node, from.device)
        ->route_to(cluster.host(to.node, to.device), links, &latency_s);
    return nlohmann::json{links.size(), latency_s};
  });
  return {.links = json[0], .latency_s = json[1]};
}

void check_route(const Route& got, std::size_t links, double latency_s) {
  CHECK(got.links == links);
  CHECK(got.latency_s == Approx(latency_s).epsilon(1e-12));
}

Platform catalogued(const std::string& name) {
  return load_platform(EPOCHCAST_SOURCE_DIR "/models/platforms/" + name + ".json");
}

TEST_CASE("routes of the catalogued platforms cross the links that their files describe") {
  const Platform esb = catalogued("deep-est-esb");  // 0.75 us PCIe, 0.25 us cables, leaves of 18
  check_route(route(esb, {0, 0}, {0, 1}), 2, 1.5e-6);
  check_route(route(esb, {0, 0}, {17, 0}), 4, 2 * 0.75e-6 + 2 * 0.25e-6);
  check_route(route(esb, {0, 0}, {18, 0}), 6, 2 * 0.75e-6 + 4 * 0.25e-6);

  const Platform server = catalogued("server-2cpu-8gpu");  // 5 us PCIe and a backbone
  check_route(route(server, {0, 0}, {0, 9}), 3, 1e-5);
}

TEST_CASE("ranks that share a device exchange over its link to the node, and back") {
  check_route(route(catalogued("deep-est-esb"), {0, 0}, {0, 0}), 2, 2 * 0.75e-6);
  check_route(route(catalogued("server-2cpu-8gpu"), {0, 3}, {0, 3}), 3, 1e-5);
  check_route(route(mixed(1, 2, 1, nvlink(), nullptr), {0, 0}, {0, 0}), 2, 4e-6);
  check_route(route(mixed(1, 2, 1, shared_memory(), nullptr), {0, 0}, {0, 0}), 1, 1e-6);
}

TEST_CASE("routes of every topology have the number of links of its geometry") {
  // Inside nodes: 1 us PCIe at each end. Between nodes: cables of 5 us.
  const auto across = [](const nlohmann::json& network, int nodes, int to) {
    return route(mixed(nodes, 1, 1, pcie(), network), {0, 0}, {to, 1});
  };
  check_route(across(star(), 4, 3), 2 + 2, 2e-6 + 2 * 5e-6);
  check_route(across(fat_tree(), 4, 1), 2 + 2, 2e-6 + 2 * 5e-6);  // the same leaf switch
  check_route(across(fat_tree(), 4, 3), 2 + 4, 2e-6 + 4 * 5e-6);  // over the spine
  check_route(across(torus(), 4, 1), 2 + 1, 2e-6 + 1 * 5e-6);     // neighbours
  check_route(across(torus(), 4, 3), 2 + 2, 2e-6 + 2 * 5e-6);     // diagonal
  // Nodes 0 and 1 share a router; node 2 has the other router of the chassis.
  check_route(across(dragonfly(), 16, 1), 2 + 2, 2e-6 + 2 * 5e-6);
  check_route(across(dragonfly(), 16, 2), 2 + 3, 2e-6 + 3 * 5e-6);
}

/// Three nodes, of which number `lone` has one device and no interconnect; the others have two
/// GPUs on PCIe.
Platform with_lone_node(int lone, const nlohmann::json& network) {
  Platform platform = mixed(1, 2, 0, pcie(), network);
  platform.nodes.resize(3, platform.nodes.front());
  platform.nodes[static_cast<std::size_t>(lone)] = plain_star(1, {}).nodes.front();
  return platform;
}

TEST_CASE("a node of one device may be at any position among nodes of several") {
  struct Network {
    nlohmann::json json;
    std::size_t hops[3][3];  // cables between nodes, from the geometry
  };
  const Network networks[] = {
      {star(), {{0, 2, 2}, {2, 0, 2}, {2, 2, 0}}},
      {fat_tree(), {{0, 2, 4}, {2, 0, 4}, {4, 4, 0}}},
      {torus(), {{0, 1, 1}, {1, 0, 2}, {1, 2, 0}}},
      {dragonfly(), {{0, 2, 3}, {2, 0, 3}, {3, 3, 0}}},
  };
  for (const Network& network : networks) {
    for (const int lone : {0, 1, 2}) {
      const Platform platform = with_lone_node(lone, network.json);
      for (const int from : {0, 1, 2}) {
        for (const int to : {0, 1, 2}) {
          if (from == to) continue;
          CAPTURE(network.json["topology"], lone, from, to);
          // Of the two ends, that of the lone device has no PCIe link.
          const std::size_t pcie_links = from == lone || to == lone ? 1 : 2;
          const std::size_t hops = network.hops[from][to];
          check_route(route(platform, {from, from == lone ? 0 : 1}, {to, 0}),
                      pcie_links + hops,
                      static_cast<double>(pcie_links) * 1e-6 + static_cast<double>(hops) * 5e-6);
        }
      }
    }
  }
}

TEST_CASE("devices inside a node reach each other by the links of its interconnect") {
  check_route(route(mixed(1, 2, 1, pcie(), nullptr), {0, 0}, {0, 2}), 2, 2e-6);
  check_route(route(mixed(1, 2, 1, pcie_with_backbone(), nullptr), {0, 0}, {0, 2}), 3, 2e-6);
  check_route(route(mixed(1, 2, 1, shared_memory(), nullptr), {0, 0}, {0, 2}), 1, 1e-6);
  check_route(route(mixed(1, 2, 1, nvlink(), nullptr), {0, 0}, {0, 1}), 1, 1e-6);  // GPU to GPU
  check_route(route(mixed(1, 2, 1, nvlink(), nullptr), {0, 1}, {0, 2}), 2, 4e-6);  // GPU to CPU
  check_route(route(mixed(1, 2, 1, nvswitch(), nullptr), {0, 0}, {0, 1}), 2, 2e-6);
  check_route(route(mixed(1, 2, 1, nvswitch(), nullptr), {0, 1}, {0, 2}), 2, 4e-6);
}

/// Ranks 0 -> 1 and 2 -> 3 send at the same time, or only the former.
double transfer_s(const Platform& platform, int flows) {
  return observe(platform,
                 [flows](Fabric& fabric) {
                   const int rank = fabric.rank();
                   if (rank >= 2 * flows) return;
                   const Payload payload = payload_of_bytes(20e9);
                   fabric.wait(rank % 2 == 0 ? fabric.start_send(rank + 1, payload)
                                             : fabric.start_receive(rank - 1, payload));
                 })
      .last_s();
}

TEST_CASE(
    "two flows over one shared-memory bus take twice as long, over PCIe links as long as one") {
  const Platform bus = mixed(1, 4, 0, shared_memory(), nullptr);
  const Platform switched = mixed(1, 4, 0, pcie(), nullptr);

  CHECK(transfer_s(bus, 1) == Approx(1e-6 + 1).epsilon(1e-9));  // 20 GB at 20 GB/s
  CHECK(transfer_s(bus, 2) == Approx(1e-6 + 2).epsilon(1e-9));
  CHECK(transfer_s(switched, 1) == Approx(2e-6 + 2).epsilon(1e-9));
  CHECK(transfer_s(switched, 2) == transfer_s(switched, 1));
}

TEST_CASE("transfers in both directions over one PCIe link do not slow each other down") {
  const double time_s = observe(mixed(1, 2, 0, pcie(), nullptr), [](Fabric& fabric) {
                          const Payload payload = payload_of_bytes(10e9);
                          const Request out = fabric.start_send(1 - fabric.rank(), payload);
                          fabric.wait(fabric.start_receive(1 - fabric.rank(), payload));
                          fabric.wait(out);
                        }).last_s();

  CHECK(time_s == Approx(2e-6 + 1).epsilon(1e-9));
}

const char* const kXml = EPOCHCAST_SOURCE_DIR "/tests/sim/data/cluster.xml";

TEST_CASE("a SimGrid XML platform is read with its hosts' properties") {
  const nlohmann::json read = in_process([] {
    const Platform platform = sim::describe_xml_platform(kXml);
    nlohmann::json json;
    for (const NodeGroup& node : platform.nodes) {
      for (const DeviceGroup& device : node.devices) {
        json.push_back({node.name,
                        device.device_class,
                        device.model,
                        device.memory_bytes,
                        device.reduce_bytes_per_s,
                        device.is_worker});
      }
    }
    return json;
  });

  const double gib = 1073741824.0;
  CHECK(read == nlohmann::json{{"big-gpu", "gpu", "gpu-a", 16 * gib, 100e9, true},
                               {"big-gpu", "cpu", "cpu-a", 0, 10e9, false},
                               {"lone-0", "gpu", "gpu-a", 16 * gib, 0, true},
                               {"lone-1", "gpu", "gpu-a", 16 * gib, 0, true}});
}

TEST_CASE("a SimGrid XML platform forecasts the epoch of its links") {
  Platform platform;
  platform.name = "xml";
  platform.simgrid_xml = kXml;
  Job job = job_on(platform, 3 * 8 * 5);

  const RunResult run = forecast_of(job, "sync");

  // Three GPUs, 1 GB/s and 10 us a link; only big-gpu needs time for reductions.
  CHECK(run.workers == 3);
  const double ring_s = 4 * 2e-5 + 2 * (2.0 / 3) * 40e6 / 1e9;
  const double adding_s = (2.0 / 3) * 40e6 / 100e9;
  CHECK(run.epoch_s > 5 * (13e-3 + ring_s));
  CHECK(run.epoch_s < 5 * (13e-3 + ring_s + adding_s) * (1 + 1e-6));
}

TEST_CASE("an XML platform that SimGrid cannot read is the user's error") {
  CHECK_THROWS_AS(in_process([]() -> nlohmann::json {
                    (void)sim::describe_xml_platform(EPOCHCAST_SOURCE_DIR "/README.md");
                    return nullptr;
                  }),
                  UserError);
}

}  // namespace
}  // namespace epochcast::tests
