// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fabric_contract.hpp"

#include <algorithm>

#include "core/job/placement.hpp"
#include "sim/sim_fabric.hpp"
#include "tests/catch.hpp"
#include "tests/sim/clusters.hpp"
#include "tests/sim/in_process.hpp"

namespace epochcast::tests {
namespace {

constexpr double kSlack_s = 0;

/// Nodes with as many GPUs as the layout puts on each.
Platform platform_for(const std::vector<int>& node_of_rank) {
  Platform platform;
  platform.name = "contract";
  for (int node = 0; node <= node_of_rank.back(); ++node) {
    DeviceGroup gpus;
    gpus.device_class = "gpu";
    gpus.model = "gpu-a";
    gpus.count = static_cast<int>(std::count(node_of_rank.begin(), node_of_rank.end(), node));
    Interconnect pcie;
    pcie.link = {.bytes_per_s = 1e10, .latency_s = 1e-6};
    platform.nodes.push_back({.name = "node", .count = 1, .devices = {gpus}, .interconnect = pcie});
  }
  Interlink network;
  network.link = {.bytes_per_s = 1e9, .latency_s = 5e-6};
  if (platform.nodes.size() > 1) platform.network = network;
  return platform;
}

/// Runs a claim on a SimFabric in this process, which must not have had an engine before.
std::string run_here(const std::vector<int>& node_of_rank,
                     const FabricProgram& program,
                     bool is_accelerated) {
  const Platform platform = platform_for(node_of_rank);
  sim::Cluster cluster(platform, platform.node_count());
  sim::Runtime runtime(
      cluster,
      all_devices(platform, JobConfig{}),
      {.algorithm = "ring", .servers = {}},
      {.acceleration = is_accelerated ? sim::Acceleration::all : sim::Acceleration::none,
       .fixed_exchange = std::nullopt});
  std::string broken;
  std::exception_ptr error;
  const auto watched = [&](Fabric& fabric) {
    Expectations expect(kSlack_s);
    program(fabric, expect);
    if (!expect.broken().empty()) {
      broken += "rank " + std::to_string(fabric.rank()) + ": " + expect.broken();
    }
  };
  cluster.run([&] {
    try {
      // The second pass replays collectives learned by the first one.
      for (int pass = 0; pass < 2; ++pass) {
        do {
          broken.clear();
        } while (!runtime.run_pass(watched, {}));
        if (!broken.empty()) break;
      }
    } catch (const std::exception&) {
      error = std::current_exception();
    }
  });
  if (error) std::rethrow_exception(error);
  return broken;
}

void check_contract(bool is_accelerated) {
  for (const FabricClaim& claim : fabric_contract()) {
    DYNAMIC_SECTION(name_of(claim)) {
      const auto broken =
          in_process([&] { return run_here(claim.node_of_rank, claim.program, is_accelerated); });
      CHECK(broken.get<std::string>() == "");
    }
  }
}

TEST_CASE("the simulated fabric keeps the fabric's contract") { check_contract(true); }

TEST_CASE("the simulated fabric keeps the fabric's contract without accelerations") {
  check_contract(false);
}

TEST_CASE("exchanges inside nodes right after one among all keep their accelerations") {
  const auto program = [](Fabric& fabric) {
    for (int epoch = 0; epoch < 3; ++epoch) {
      fabric.repeat(fabric.node(), 40, [&](std::int64_t) {
        fabric.compute(0.01, "work");
        fabric.all_reduce(payload_of_bytes(1e6), 0.5, fabric.node());
      });
      fabric.all_reduce(payload_of_bytes(1e6), 1, fabric.world());
    }
  };
  const Platform platform = mixed(12, 0, 2, shared_memory(), star());

  const Observed fast = observe(platform, program);
  const Observed exact = observe_exactly(platform, program);

  CHECK(fast.passes == 1);
  // A ring of P sends 2(P-1) messages per rank: each node's and that of all is simulated once, at
  // most (rounds may repeat).
  constexpr std::int64_t kInNodes = 24 * 2;
  constexpr std::int64_t kAmongAll = 24 * 2 * 23;
  CHECK(exact.messages == 3 * (40 * kInNodes + kAmongAll));
  CHECK(fast.messages <= kInNodes + kAmongAll);
  CHECK(fast.last_s() == Approx(exact.last_s()).epsilon(1e-9));
}

}  // namespace
}  // namespace epochcast::tests
