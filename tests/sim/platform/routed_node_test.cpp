// SPDX-License-Identifier: Apache-2.0
#include "sim/platform/routed_node.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "sim/platform/cluster.hpp"
#include "tests/catch.hpp"
#include "tests/sim/in_process.hpp"
#include "tests/sim/jobs.hpp"

namespace epochcast::tests {
namespace {

struct NodeDevice {
  int node;
  int device;
};

/// The names of a route's links without the node's, and the smallest bandwidth.
struct NamedRoute {
  std::vector<std::string> links;
  double bytes_per_s = 0;
};

NamedRoute named_route(const Platform& platform,
                       NodeDevice from,
                       NodeDevice to,
                       bool of_channels = false) {
  const nlohmann::json json = in_process([&] {
    const sim::Cluster cluster(platform, platform.node_count(), of_channels);
    const auto host = [&](const NodeDevice& place) {
      return of_channels ? cluster.channel_host(place.node, place.device)
                         : cluster.host(place.node, place.device);
    };
    std::vector<simgrid::s4u::Link*> links;
    double latency_s = 0;
    host(from)->route_to(host(to), links, &latency_s);
    nlohmann::json found = {{"links", nlohmann::json::array()}, {"rate", 1e18}};
    for (const simgrid::s4u::Link* link : links) {
      found["links"].push_back(link->get_name());
      found["rate"] = std::min(found["rate"].get<double>(), link->get_bandwidth());
    }
    return found;
  });
  return {.links = json["links"], .bytes_per_s = json["rate"]};
}

Platform dgx1() { return load_platform(EPOCHCAST_SOURCE_DIR "/models/platforms/dgx-1.json"); }

using Names = std::vector<std::string>;

TEST_CASE("a pair of GPUs has its own NVLinks, others cross PCIe switches and sockets") {
  const Platform platform = dgx1();

  const NamedRoute joined = named_route(platform, {0, 0}, {0, 3});
  CHECK(joined.links.size() == 1);
  CHECK(joined.bytes_per_s == 2 * 21e9);
  CHECK(named_route(platform, {0, 1}, {0, 0}).bytes_per_s == 21e9);

  const NamedRoute apart = named_route(platform, {0, 1}, {0, 7});
  CHECK(apart.links == Names{"node-0/gpu-1/pcie_UP",
                             "node-0/switch-0_UP",
                             "node-0/socket-0_UP",
                             "node-0/socket-1_DOWN",
                             "node-0/switch-3_DOWN",
                             "node-0/gpu-7/pcie_DOWN"});
  CHECK(apart.bytes_per_s == 9e9);
}

TEST_CASE("a GPU reaches the network by the port near it") {
  const NamedRoute out = named_route(dgx1(), {0, 2}, {1, 7});

  CHECK(out.links == Names{"node-0/gpu-2/pcie_UP",
                           "node-0/port-1_UP",
                           "uplink-0_UP",
                           "uplink-1_DOWN",
                           "node-1/port-3_DOWN",
                           "node-1/gpu-7/pcie_DOWN"});
  CHECK(out.bytes_per_s == 11e9);  // a quarter of the node's 44 GB/s
}

TEST_CASE("a GPU without a port near it crosses the sockets to the first one") {
  const Platform server =
      load_platform(EPOCHCAST_SOURCE_DIR "/models/platforms/server-4gpu-pcie.json");

  CHECK(named_route(server, {0, 3}, {1, 0}).links == Names{"node-0/gpu-3/pcie_UP",
                                                           "node-0/socket-1_UP",
                                                           "node-0/socket-0_DOWN",
                                                           "node-0/backbone",
                                                           "node-0/port-0_UP",
                                                           "uplink-0_UP",
                                                           "uplink-1_DOWN",
                                                           "node-1/port-0_DOWN",
                                                           "node-1/backbone",
                                                           "node-1/gpu-0/pcie_DOWN"});
}

TEST_CASE("channels use all NVLinks of a GPU and all ports of a node") {
  const Platform platform = dgx1();

  CHECK(named_route(platform, {0, 1}, {0, 7}, true).bytes_per_s == 6 * 21e9);
  CHECK(named_route(platform, {0, 2}, {1, 7}, true).links ==
        Names{"node-0/ports_UP", "uplink-0_UP", "uplink-1_DOWN", "node-1/ports_DOWN"});
  CHECK(named_route(platform, {0, 2}, {1, 7}, true).bytes_per_s == 44e9);
}

}  // namespace
}  // namespace epochcast::tests
