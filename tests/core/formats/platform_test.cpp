// SPDX-License-Identifier: Apache-2.0
#include "core/formats/platform.hpp"

#include <nlohmann/json.hpp>

#include "base/json/json_file.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

const std::string kSource = R"({"grade": "published", "reference": "manual"})";
const std::string kInterconnect =
    R"({"topology": "pcie", "bandwidth": "12GBps", "latency": "2us", "source": )" + kSource + "}";
const std::string kInterlink =
    R"({"topology": "star", "bandwidth": "100Gbps", "latency": "0.5us", "source": )" + kSource +
    "}";
/// Four nodes of two GPUs and a CPU.
const std::string kCluster = R"({
  "schema": "epochcast.platform/1", "name": "box", "title": "A box", "source": )" +
                             kSource + R"(,
  "nodes": [{"name": "fat", "count": 4, "devices": [
     {"class": "gpu", "model": "v100", "count": 2, "memory": "32GiB", "reduce": "400GBps"},
     {"class": "cpu", "model": "xeon", "worker": false}],
    "interconnect": )" + kInterconnect +
                             R"(}],
  "network": )" + kInterlink +
                             "}";

Platform parsed_platform(const std::string& text) {
  return parse_platform(parse_json(text, "p.json"), "p.json");
}

Texts problems_in_platform(const std::string& text) {
  return problems_of([&] { static_cast<void>(parsed_platform(text)); });
}

Texts problems_of_network(const std::string& network) {
  return problems_in_platform(with(kCluster, kInterlink, network));
}

std::string network_of(const std::string& fields) {
  return R"({"bandwidth": "1GBps", "latency": "1us", "source": )" + kSource + ", " + fields + "}";
}

TEST_CASE("a platform's quantities become bytes and seconds") {
  const Platform platform = parsed_platform(kCluster);

  CHECK(platform.name == "box");
  CHECK(platform.path == "p.json");
  REQUIRE(platform.nodes.size() == 1);
  const NodeGroup& nodes = platform.nodes[0];
  CHECK(nodes.count == 4);
  CHECK(platform.node_count() == 4);
  REQUIRE(nodes.devices.size() == 2);
  CHECK(nodes.devices[0].count == 2);
  CHECK(nodes.devices[0].memory_bytes == 32 * 0x1p30);
  CHECK(nodes.devices[0].reduce_bytes_per_s == 400e9);
  CHECK(nodes.devices[0].is_worker);
  CHECK(nodes.devices[1].count == 1);
  CHECK(nodes.devices[1].memory_bytes == 0);
  CHECK(nodes.devices[1].reduce_bytes_per_s == 0);
  CHECK_FALSE(nodes.devices[1].is_worker);
  REQUIRE(nodes.interconnect);
  CHECK(nodes.interconnect->link.bytes_per_s == 12e9);
  CHECK(nodes.interconnect->link.latency_s == 2e-6);
  REQUIRE(platform.network);
  CHECK(platform.network->link.bytes_per_s == 100e9 / 8);
  CHECK(platform.network->link.latency_s == 0.5e-6);
}

TEST_CASE("the grade of a platform is the lowest of its parts") {
  CHECK(parsed_platform(kCluster).grade() == Grade::published);

  const std::string guessed = with(
      kInterconnect, kSource, R"({"grade": "estimated", "method": "data sheet of a similar one"})");
  CHECK(parsed_platform(with(kCluster, kInterconnect, guessed)).grade() == Grade::estimated);
}

TEST_CASE("the capacity of a network is the product of its levels, dimensions or groups") {
  const auto capacity_of = [](const std::string& fields) {
    return parsed_platform(with(kCluster, kInterlink, network_of(fields))).network->capacity();
  };

  CHECK(parsed_platform(kCluster).network->capacity() == 0);  // a switch takes any number
  CHECK(capacity_of(R"("topology": "torus", "dimensions": [2, 3, 4])") == 2 * 3 * 4);
  CHECK(capacity_of(R"("topology": "fat-tree", "down": [12, 8], "up": [1, 6], "cables": [1, 1])") ==
        12 * 8);
  CHECK(capacity_of(R"("topology": "dragonfly", "groups": 3, "chassis": 4, "routers": 5,
                       "nodes_per_router": 6, "cables": [1, 2, 3])") == 3 * 4 * 5 * 6);
}

TEST_CASE("nodes of a star may have links of their own") {
  const std::string uplink =
      R"("uplink": {"bandwidth": "1Gbps", "latency": "1us", "source": {"grade": "estimated",
         "method": "data sheet"}}, "count": 4)";
  const Platform platform = parsed_platform(with(kCluster, "\"count\": 4", uplink));

  REQUIRE(platform.nodes[0].uplink);
  CHECK(platform.nodes[0].uplink->link.bytes_per_s == 125e6);
  CHECK(platform.grade() == Grade::estimated);
  CHECK(problems_in_platform(with(with(kCluster, "\"count\": 4", uplink),
                                  kInterlink,
                                  network_of(R"("topology": "torus", "dimensions": [4])"))) ==
        Texts{"p.json: /network: is no star, so the nodes \"fat\" cannot have an \"uplink\" of "
              "their own"});
}

/// The cluster with these members in its nodes.
std::string cluster_with(const std::string& members) {
  return with(kCluster, "\"count\": 4", "\"count\": 4, " + members);
}

TEST_CASE("nodes may have a price per hour and power, devices power") {
  const std::string source = R"("source": {"grade": "estimated", "method": "price list"}})";
  const Platform platform = parsed_platform(
      with(cluster_with(R"("price": {"rate": "3.06USD/h", )" + source +
                        R"(, "power": {"idle": "120W", "busy": "0.4kW", )" + source),
           "\"count\": 2",
           R"("count": 2, "power": {"idle": "40W", "busy": "300W", )" + source));

  REQUIRE(platform.nodes[0].price);
  CHECK(platform.nodes[0].price->rate == Price{3.06, "USD"});
  REQUIRE(platform.nodes[0].power);
  CHECK(platform.nodes[0].power->idle_w == 120);
  CHECK(platform.nodes[0].power->busy_w == 400);
  REQUIRE(platform.nodes[0].devices[0].power);
  CHECK(platform.nodes[0].devices[0].power->busy_w == 300);
  CHECK_FALSE(platform.nodes[0].devices[1].power);
  CHECK(platform.grade() == Grade::published);  // of times; prices and powers have no effect on it
}

TEST_CASE("devices may state how much overlap slows batches and exchanges down") {
  const auto with_overlap = [](const std::string& batch) {
    return with(kCluster,
                "\"count\": 2",
                R"("count": 2, "overlap": {"batch": )" + batch +
                    R"(, "exchange": 1.25, "source": )" + kSource + "}");
  };
  const Platform platform = parsed_platform(with_overlap("1.5"));

  REQUIRE(platform.nodes[0].devices[0].overlap);
  CHECK(platform.nodes[0].devices[0].overlap->batch_slowdown == 1.5);
  CHECK(platform.nodes[0].devices[0].overlap->exchange_slowdown == 1.25);
  CHECK_FALSE(platform.nodes[0].devices[1].overlap);
  CHECK(problems_in_platform(with_overlap("0.5")) ==
        Texts{"p.json: /nodes/0/devices/0/overlap/batch: got 0.5; expected a number from 1 to "
              "1000"});
}

TEST_CASE("impossible prices and powers are refused with the expected values") {
  CHECK(problems_in_platform(
            cluster_with(R"("price": {"rate": "3.06$", "source": )" + kSource + "}")) ==
        Texts{"p.json: /nodes/0/price/rate: got \"3.06$\"; expected a price for an hour with its "
              "currency, such as \"3.06USD/h\""});
  CHECK(problems_in_platform(cluster_with(R"("price": {"rate": 3})")) ==
        Texts{"p.json: /nodes/0/price/rate: got 3; expected a price for an hour with its currency, "
              "such as \"3.06USD/h\"",
              "p.json: /nodes/0/price/source: missing"});
  CHECK(
      problems_in_platform(
          cluster_with(R"("power": {"idle": "300W", "busy": "40W", "source": )" + kSource + "}")) ==
      Texts{"p.json: /nodes/0/power/busy: got \"40W\"; expected at least what is drawn when idle"});
  CHECK(problems_in_platform(
            cluster_with(R"("power": {"idle": "3", "busy": "40Wh", "source": )" + kSource + "}")) ==
        Texts{"p.json: /nodes/0/power/idle: got \"3\"; expected a power with its unit, such as "
              "\"350W\"",
              "p.json: /nodes/0/power/busy: got \"40Wh\"; expected a power with its unit, such as "
              "\"350W\""});
}

TEST_CASE("a platform's prices are in one currency") {
  const std::string other = R"({"name": "thin", "count": 1, "devices": [
      {"class": "cpu", "model": "xeon"}], "price": {"rate": "1EUR/h", "source": )" +
                            kSource + "}}, ";
  const std::string text =
      with(cluster_with(R"("price": {"rate": "2USD/h", "source": )" + kSource + "}"),
           "\"nodes\": [",
           "\"nodes\": [" + other);

  CHECK(problems_in_platform(text) ==
        Texts{"p.json: /nodes: have prices in EUR (\"thin\") and in USD (\"fat\"); expected one "
              "currency"});
  // A price that cannot be parsed has no currency either.
  CHECK(problems_in_platform(with(text, "1EUR/h", "1euro/h")) ==
        Texts{"p.json: /nodes/0/price/rate: got \"1euro/h\"; expected a price for an hour with its "
              "currency, such as \"3.06USD/h\""});
}

TEST_CASE("a quantity without its unit is refused") {
  CHECK(problems_in_platform(with(kCluster, "\"12GBps\"", "\"12\"")) ==
        Texts{"p.json: /nodes/0/interconnect/bandwidth: got \"12\"; expected a bandwidth with its "
              "unit, such as \"12.5GBps\""});
  CHECK(problems_in_platform(with(kCluster, "\"0.5us\"", "0.5")) ==
        Texts{"p.json: /network/latency: got 0.5; expected a time with its unit, such as "
              "\"1.5us\""});
}

TEST_CASE("sizes and speeds are above zero; latency may be zero") {
  CHECK(problems_in_platform(with(kCluster, "\"32GiB\"", "\"0GiB\"")) ==
        Texts{"p.json: /nodes/0/devices/0/memory: got \"0GiB\"; expected a value above zero"});
  CHECK(problems_in_platform(with(kCluster, "\"400GBps\"", "\"-1GBps\"")) ==
        Texts{"p.json: /nodes/0/devices/0/reduce: got \"-1GBps\"; expected a value above zero"});
  CHECK(problems_in_platform(with(kCluster, "\"2us\"", "\"-2us\"")) ==
        Texts{"p.json: /nodes/0/interconnect/latency: got \"-2us\"; expected a value that is not "
              "negative"});
  CHECK(problems_in_platform(with(kCluster, "\"2us\"", "\"0us\"")).empty());
}

TEST_CASE("counts are integers within limits") {
  CHECK(problems_in_platform(with(kCluster, "\"count\": 4", "\"count\": 0")) ==
        Texts{"p.json: /nodes/0/count: got 0; expected a whole number from 1 to 1000000"});
  CHECK(
      problems_in_platform(with(kCluster, "\"count\": 2", "\"count\": 2000")) ==
      Texts{"p.json: /nodes/0/devices/0/count: got 2000; expected a whole number from 1 to 1024"});
}

TEST_CASE("a platform has at most a million nodes and a million devices") {
  const std::string many = with(kCluster, "\"count\": 4", "\"count\": 400000");
  CHECK(problems_in_platform(many) ==
        Texts{"p.json: /nodes: has 1200000 devices; at most 1000000 can be modelled"});

  const std::string node =
      R"({"name": "n", "count": 600000, "devices": [{"class": "cpu", "model": "x"}]})";
  const std::size_t at = kCluster.find("[{\"name\"") + 1;
  const std::size_t end = kCluster.find("}],\n  \"network\"") + 1;
  CHECK(problems_in_platform(std::string(kCluster).replace(at, end - at, node + "," + node)) ==
        Texts{"p.json: /nodes: has 1200000 nodes; at most 1000000 can be modelled",
              "p.json: /nodes: has 1200000 devices; at most 1000000 can be modelled"});
}

TEST_CASE("an unknown topology is refused with the closest name") {
  CHECK(problems_of_network(network_of(R"("topology": "fattree")")) ==
        Texts{"p.json: /network/topology: unknown topology \"fattree\"; did you mean "
              "\"fat-tree\"?"});
  CHECK(problems_in_platform(with(kCluster, "\"pcie\"", "\"infinity-fabric\"")) ==
        Texts{"p.json: /nodes/0/interconnect/topology: unknown topology \"infinity-fabric\"; "
              "known: pcie, nvlink, nvswitch, shared-memory"});
  CHECK(problems_of_network(network_of(R"("topology": 3)")) ==
        Texts{"p.json: /network/topology: got 3; expected the name of a topology"});
}

TEST_CASE("a torus or a tree that is too small for the nodes is refused") {
  CHECK(problems_of_network(network_of(R"("topology": "torus", "dimensions": [3, 1])")) ==
        Texts{"p.json: /network: has room for 3 nodes, the platform has 4"});
  CHECK(problems_of_network(network_of(R"("topology": "torus", "dimensions": [2, 2])")).empty());
}

TEST_CASE("a network with room for more than a million nodes is refused, however large") {
  CHECK(problems_of_network(network_of(R"("topology": "torus", "dimensions": [2000, 1000])")) ==
        Texts{"p.json: /network: has room for 2000000 nodes; at most 1000000 can be modelled"});
  const std::string most = "1000000, 1000000, 1000000, 1000000";  // the product exceeds 64 bits
  CHECK(problems_of_network(network_of(R"("topology": "torus", "dimensions": [)" + most + "]"))
            .size() == 1);
}

TEST_CASE("a fat tree has a value for every level, a dragonfly three kinds of cables") {
  CHECK(problems_of_network(
            network_of(R"("topology": "fat-tree", "down": [4, 4], "up": [1], "cables": [1, 1])")) ==
        Texts{"p.json: /network: \"down\", \"up\" and \"cables\" need one number per level each"});
  CHECK(problems_of_network(network_of(R"("topology": "dragonfly", "groups": 3, "chassis": 4,
            "routers": 5, "nodes_per_router": 6, "cables": [1])")) ==
        Texts{"p.json: /network/cables: got a list of 1; expected three numbers: cables between "
              "groups, chassis, routers"});
}

TEST_CASE("a dragonfly needs a router for each group that its groups are linked to") {
  const auto dragonfly = [](const std::string& groups, const std::string& routers) {
    return network_of(R"("topology": "dragonfly", "chassis": 2, "nodes_per_router": 1,
        "cables": [1, 1, 1], "groups": )" +
                      groups + ", \"routers\": " + routers);
  };

  CHECK(problems_of_network(dragonfly("4", "2")) ==
        Texts{"p.json: /network: has 2 routers in a chassis and 4 groups; it needs as many "
              "routers, each of which is linked to one group"});
  CHECK(problems_of_network(dragonfly("4", "4")).empty());
  CHECK(problems_of_network(dragonfly("1", "2")).empty());
}

TEST_CASE("a topology of more than four million links is refused before it is built") {
  const Texts too_many = {"p.json: /network: has more than 4000000 links"};
  CHECK(problems_of_network(network_of(R"("topology": "dragonfly", "groups": 1, "chassis": 1,
            "routers": 1000000, "nodes_per_router": 1, "cables": [1, 1, 1])")) == too_many);
  CHECK(problems_of_network(network_of(
            R"("topology": "fat-tree", "down": [4, 4], "up": [1000, 1000], "cables": [1, 1])")) ==
        too_many);

  std::string ones = "4";
  for (int level = 1; level < 33; ++level) ones += ", 1";
  CHECK(
      problems_of_network(network_of(R"("topology": "fat-tree", "down": [)" + ones +
                                     R"(], "up": [)" + ones + R"(], "cables": [)" + ones + "]")) ==
      Texts{"p.json: /network: has 33 levels; at most 32 can be modelled"});
}

TEST_CASE("keys of one topology are unknown to another") {
  CHECK(problems_of_network(network_of(R"("topology": "star", "dimensions": [4])")) ==
        Texts{"p.json: /network/dimensions: unknown key \"dimensions\"; known: topology, "
              "bandwidth, latency, backbone, messages, source"});
}

TEST_CASE("several devices need an interconnect, several nodes a network") {
  CHECK(problems_in_platform(with(kCluster, ",\n    \"interconnect\": " + kInterconnect, "")) ==
        Texts{"p.json: /nodes/0: has 3 devices, so it needs an \"interconnect\""});
  CHECK(problems_in_platform(with(kCluster, ",\n  \"network\": " + kInterlink, "")) ==
        Texts{"p.json: /: has 4 nodes, so it needs a \"network\""});
}

TEST_CASE("nvlink joins GPUs, so it needs PCIe to CPUs and the network") {
  const std::string nvlink = with(kInterconnect, "\"pcie\"", "\"nvlink\"");
  CHECK(problems_in_platform(with(kCluster, kInterconnect, nvlink)) ==
        Texts{"p.json: /nodes/0/interconnect/pcie: missing"});

  const std::string both =
      with(nvlink, "\"nvlink\"", R"("nvlink", "pcie": {"bandwidth": "10GBps", "latency": "3us"})");
  const Platform platform = parsed_platform(with(kCluster, kInterconnect, both));
  REQUIRE(platform.nodes[0].interconnect->pcie);
  CHECK(platform.nodes[0].interconnect->pcie->bytes_per_s == 10e9);
  CHECK(platform.nodes[0].interconnect->pcie->latency_s == 3e-6);
}

TEST_CASE("all problems of a platform are reported at once, each with its path") {
  std::string text = with(kCluster, "\"name\": \"box\"", "\"nmae\": \"box\"");
  text = with(text, "\"count\": 4", "\"count\": -4");
  text = with(text, "\"100Gbps\"", "\"100Gb\"");

  CHECK(problems_in_platform(text) ==
        Texts{"p.json: /name: missing",
              "p.json: /nodes/0/count: got -4; expected a whole number from 1 to 1000000",
              "p.json: /network/bandwidth: got \"100Gb\"; expected a bandwidth with its unit, such "
              "as \"12.5GBps\"",
              "p.json: /nmae: unknown key \"nmae\"; did you mean \"name\"?"});
}

TEST_CASE("a platform without nodes, or a node without devices, is refused") {
  CHECK(problems_in_platform(
            R"({"schema": "epochcast.platform/1", "name": "n", "title": "t", "source": )" +
            kSource + R"(, "nodes": []})") ==
        Texts{"p.json: /nodes: got a list of 0; expected a list that is not empty"});
  CHECK(problems_in_platform(
            R"({"schema": "epochcast.platform/1", "name": "n", "title": "t", "source": )" +
            kSource + R"(, "nodes": [{"name": "a", "count": 1, "devices": []}]})") ==
        Texts{"p.json: /nodes/0/devices: got a list of 0; expected a list that is not empty"});
}

}  // namespace
}  // namespace epochcast::tests
