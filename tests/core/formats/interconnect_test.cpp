// SPDX-License-Identifier: Apache-2.0
#include "core/formats/interconnect.hpp"

#include <nlohmann/json.hpp>

#include "base/json/json_file.hpp"
#include "core/formats/node_links.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

const std::string kMethod = R"("source": {"grade": "estimated", "method": "assumed"})";
const std::string kPcie = R"("pcie": {"bandwidth": "12GBps", "latency": "2us"})";

/// Two nodes of four GPUs and a CPU, with `links` in the node and `more` keys of it.
Platform platform_of(const std::string& links, const std::string& more = "") {
  const std::string text =
      R"({"schema": "epochcast.platform/1", "name": "box", "title": "A box", )" + kMethod +
      R"(, "nodes": [{"name": "node", "count": 2, "devices": [
    {"class": "gpu", "model": "v100", "count": 4}, {"class": "cpu", "model": "xeon"}],
    "interconnect": {)" +
      links + ", " + kMethod + "}" + more +
      R"(}], "network": {"topology": "star", "bandwidth": "40GBps",
    "latency": "1us", )" +
      kMethod + "}}";
  return parse_platform(parse_json(text, "p.json"), "p.json");
}

std::string nvlinks(const std::string& pairs) {
  return R"("topology": "nvlink", "bandwidth": "20GBps", "latency": "1us", "pairs": )" + pairs +
         ", " + kPcie;
}

const std::string kRing = "[[0, 1, 2], [1, 2, 1], [2, 3, 2], [3, 0, 1]]";

TEST_CASE("pairs of NVLinks, levels of PCIe and ports are read and written") {
  const Platform platform = platform_of(
      R"("topology": "nvlink", "bandwidth": "20GBps", "latency": "1us", "pairs": [[0, 3, 2]],
         "pcie": {"bandwidth": "12GBps", "latency": "2us", "switch": {"devices": 2, "bandwidth": "11GBps"},
                  "socket": {"devices": 4, "bandwidth": "9GBps"}})",
      R"(, "ports": [[0, 1], [3], []])");

  const NodeGroup& node = platform.nodes.front();
  const Interconnect& inside = *node.interconnect;
  CHECK(inside.pairs == std::vector<NvlinkPair>{{.one = 0, .other = 3, .links = 2}});
  CHECK(inside.pcie_switch == PcieLevel{.devices = 2, .bytes_per_s = 11e9});
  CHECK(inside.socket == PcieLevel{.devices = 4, .bytes_per_s = 9e9});
  CHECK(node.ports == Ports{{0, 1}, {3}, {}});
  CHECK(parse_platform(nlohmann::json(to_json(platform)), "p.json").nodes == platform.nodes);
}

TEST_CASE("the noise of a device's batches is read and written") {
  Platform platform = platform_of(R"("topology": "pcie", "bandwidth": "12GBps", "latency": "2us")");
  platform.nodes.front().devices.front().batch_noise =
      BatchNoise{.deviation = 0.02, .source = platform.source};

  CHECK(parse_platform(nlohmann::json(to_json(platform)), "p.json").nodes == platform.nodes);
}

TEST_CASE("a number of ports shares the GPUs evenly") {
  const std::string pcie = R"("topology": "pcie", "bandwidth": "12GBps", "latency": "2us")";

  CHECK(platform_of(pcie, R"(, "ports": 2)").nodes.front().ports == Ports{{0, 1}, {2, 3}});
  CHECK(platform_of(pcie, R"(, "ports": 3)").nodes.front().ports == Ports{{0, 1}, {2}, {3}});
  CHECK(platform_of(pcie).nodes.front().ports.empty());
}

TEST_CASE("impossible NVLinks, levels and ports are reported") {
  const auto problems = [](const std::string& links, const std::string& more = "") {
    return problems_of([&] { static_cast<void>(platform_of(links, more)); });
  };

  CHECK(problems(nvlinks("[[0, 0, 1]]")) ==
        Texts{"p.json: /nodes/0/interconnect/pairs/0: joins a device with itself"});
  CHECK(problems(nvlinks("[[0, 1, 1], [1, 0, 2]]")) ==
        Texts{"p.json: /nodes/0/interconnect/pairs/1: is a pair that is listed before"});
  CHECK(problems(nvlinks("[[0, 4, 1]]")) ==
        Texts{"p.json: /nodes/0/interconnect/pairs/0/1: is device 4, a CPU"});
  CHECK(problems(R"("topology": "pcie", "bandwidth": "12GBps", "latency": "2us",
                    "switch": {"devices": 3, "bandwidth": "1GBps"},
                    "socket": {"devices": 4, "bandwidth": "1GBps"})") ==
        Texts{"p.json: /nodes/0/interconnect: has 4 devices on a \"socket\", which is no multiple "
              "of the 3 of a \"switch\""});
  CHECK(problems(R"("topology": "shared-memory", "bandwidth": "12GBps", "latency": "2us")",
                 R"(, "ports": 2)") ==
        Texts{"p.json: /nodes/0/ports: needs an \"interconnect\" with a link of each device, such "
              "as pcie"});
}

TEST_CASE("ports and NVLinks of a node with fewer devices are those of the devices it has") {
  Platform platform = platform_of(nvlinks(kRing), R"(, "ports": [[0, 1], [2, 3]])");
  NodeGroup& node = platform.nodes.front();
  node.devices.front().count = 3;

  drop_missing_devices(node);

  CHECK(node.ports == Ports{{0, 1}, {2}});
  CHECK(node.interconnect->pairs.size() == 2);
}

TEST_CASE("a library that uses all links finds all NVLinks of a device and all ports of a node") {
  const NodeLinks links = node_links(platform_of(nvlinks(kRing), R"(, "ports": 4)"));

  CHECK(links == NodeLinks{.has_nvlink = true,
                           .in_node_bytes_per_s = 60e9,
                           .between_nodes_bytes_per_s = 40e9});
  // Without ports, one device's PCIe link leads out.
  CHECK(node_links(platform_of(nvlinks(kRing))).between_nodes_bytes_per_s == 12e9);
}

TEST_CASE("NVLinks that make no ring of all devices are no use to a ring") {
  // Two pairs, and three devices in a row.
  for (const std::string pairs : {"[[0, 1, 4], [2, 3, 4]]", "[[0, 1, 1], [1, 2, 1], [2, 3, 1]]"}) {
    const Platform platform = platform_of(nvlinks(pairs));
    CAPTURE(pairs);
    CHECK_FALSE(nvlink_ring_bytes_per_s(platform.nodes.front()).has_value());
    CHECK(node_links(platform) == NodeLinks{.has_nvlink = false,
                                            .in_node_bytes_per_s = 12e9,
                                            .between_nodes_bytes_per_s = 12e9});
  }
}

TEST_CASE("a ring over PCIe is as fast as its narrowest link") {
  const auto rate = [](const std::string& more) {
    return node_links(
               platform_of(R"("topology": "pcie", "bandwidth": "12GBps", "latency": "2us")" + more))
        .in_node_bytes_per_s;
  };

  CHECK(rate("") == 12e9);
  CHECK(rate(R"(, "switch": {"devices": 2, "bandwidth": "10GBps"})") == 10e9);
  CHECK(rate(R"(, "socket": {"devices": 2, "bandwidth": "8GBps"})") == 8e9);
  CHECK(rate(R"(, "socket": {"devices": 4, "bandwidth": "8GBps"})") == 12e9);  // only one
  CHECK(rate(R"(, "backbone": "20GBps")") == 5e9);  // four transfers share it
}

}  // namespace
}  // namespace epochcast::tests
