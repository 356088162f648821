// SPDX-License-Identifier: Apache-2.0
// All-reduces of NCCL on catalogued platforms, against its own estimates and published figures
// (docs/simulator.md).
#include <string>

#include "collectives/nccl_decision.hpp"
#include "core/formats/node_links.hpp"
#include "tests/catch.hpp"
#include "tests/sim/clusters.hpp"

namespace epochcast::tests {
namespace {

Platform catalogued_nodes(const std::string& name, int nodes) {
  Platform platform = load_platform(EPOCHCAST_SOURCE_DIR "/models/platforms/" + name + ".json");
  platform.nodes.front().count = nodes;
  return platform;
}

double nccl_s(const Platform& platform, double bytes) {
  return all_reduce_s(platform, "nccl", bytes);
}

/// Bytes per second on the busiest link, as nccl-tests prints it.
double bus_bytes_per_s(const Platform& platform, int ranks, double bytes) {
  return 2 * (ranks - 1.0) / ranks * bytes / nccl_s(platform, bytes);
}

TEST_CASE("large all-reduces in a node reach the published bandwidth of its NVLinks") {
  // Some 230 GB/s on a DGX A100, 130 GB/s on a DGX-1, 120 GB/s on a DGX-2.
  CHECK(bus_bytes_per_s(catalogued_nodes("dgx-a100", 1), 8, 1e9) == Approx(230e9).epsilon(0.1));
  CHECK(bus_bytes_per_s(catalogued_nodes("dgx-1", 1), 8, 1e9) == Approx(130e9).epsilon(0.1));
  CHECK(bus_bytes_per_s(catalogued_nodes("dgx-2", 1), 16, 1e9) == Approx(120e9).epsilon(0.1));
}

TEST_CASE("large all-reduces between nodes use all ports") {
  // Two DGX-1 with four ports of 100 Gbit/s: 40 to 48 GB/s.
  CHECK(bus_bytes_per_s(catalogued_nodes("dgx-1", 2), 16, 1e9) == Approx(44e9).epsilon(0.1));
  // One port of 10 Gbit/s.
  CHECK(bus_bytes_per_s(catalogued_nodes("cloud-1xv100-10g", 4), 4, 1e9) ==
        Approx(1.15e9).epsilon(0.1));
}

TEST_CASE("small all-reduces take tens of microseconds") {
  const double in_node_s = nccl_s(catalogued_nodes("dgx-a100", 1), 8192);
  CHECK(in_node_s > 20e-6);
  CHECK(in_node_s < 40e-6);
  const double between_s = nccl_s(catalogued_nodes("dgx-a100", 4), 8192);
  CHECK(between_s > 40e-6);
  CHECK(between_s < 100e-6);
}

TEST_CASE("an all-reduce takes about as long as NCCL estimates, and the launch of its kernel") {
  for (const int nodes : {1, 2, 4}) {
    const Platform platform = catalogued_nodes("dgx-1", nodes);
    const NcclGroup group = {.ranks = 8 * nodes, .nodes = nodes, .links = node_links(platform)};
    for (const double bytes : {8e3, 64e3, 256e3, 1e6, 4e6, 25e6, 100e6}) {
      CAPTURE(nodes, bytes);
      const auto size = static_cast<std::int64_t>(bytes);
      const double launch_s = 8e-6;
      const double estimate_s = launch_s + nccl_estimate_s(group, nccl_choice(group, size), size);

      // Of trees, the estimate has a table for how they fill; the simulation fills one.
      CHECK(nccl_s(platform, bytes) == Approx(estimate_s).epsilon(0.5));
    }
  }
}

TEST_CASE("latencies of the network count if they are larger than NCCL's") {
  Platform platform = catalogued_nodes("cloud-1xv100-10g", 4);
  const double near_s = nccl_s(platform, 8);

  platform.network->link.latency_s = 5e-3;

  // A tree of 4 nodes: two steps up and two down, each over two cables.
  CHECK(nccl_s(platform, 8) - near_s == Approx(4 * 2 * (5e-3 - 30e-6)).epsilon(1e-3));
}

TEST_CASE("accelerated and full simulations of NCCL agree") {
  const Platform platform = catalogued_nodes("dgx-1", 4);
  for (const double bytes : {8e3, 4e6, 100e6}) {
    CAPTURE(bytes);
    const Program program = [&](Fabric& fabric) {
      for (int i = 0; i < 3; ++i) fabric.all_reduce(payload_of_bytes(bytes), 1, fabric.world());
    };
    const Observed fast = observe(platform, program, {}, "nccl");
    const Observed exact = observe_exactly(platform, program, "nccl");

    CHECK(fast.last_s() == Approx(exact.last_s()).epsilon(1e-9));
    CHECK(fast.messages < exact.messages);
  }
}

TEST_CASE("a reduce-scatter and an all-gather take about as long as a large all-reduce") {
  const Platform platform = catalogued_nodes("dgx-1", 2);
  const double bytes = 256e6;
  const Program halves = [&](Fabric& fabric) {
    const std::int64_t part = 4'000'000;
    const Payload mine = floats_of_bytes(static_cast<double>(4 * part));
    const Payload all = floats_of_bytes(static_cast<double>(16 * 4 * part));
    fabric.wait(fabric.start_reduce_scatter(all, mine, 1, fabric.world()));
    fabric.wait(fabric.start_all_gather(mine, all, fabric.world()));
  };

  const double halves_s = observe(platform, halves, {}, "nccl").last_s();

  CHECK(halves_s == Approx(nccl_s(platform, bytes)).epsilon(0.05));
}

TEST_CASE("the sum of received data is part of NCCL's transfers") {
  Platform platform = catalogued_nodes("dgx-1", 1);
  const double time_s = nccl_s(platform, 1e8);

  platform.nodes.front().devices.front().reduce_bytes_per_s = 1e9;

  CHECK(nccl_s(platform, 1e8) == time_s);
}

}  // namespace
}  // namespace epochcast::tests
