// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_fabric.hpp"

#include <stdexcept>

#include "tests/catch.hpp"
#include "tests/support/fabric_contract.hpp"

namespace epochcast::tests {
namespace {

constexpr double kSlack_s = 0;

std::string run_on_fake(const std::vector<int>& node_of_rank, const FabricProgram& program) {
  std::string broken;
  run_workers(workers_on(node_of_rank),
              [&](Fabric& fabric) {
                Expectations expect(kSlack_s);
                program(fabric, expect);
                if (!expect.broken().empty()) {
                  broken += "rank " + std::to_string(fabric.rank()) + ": " + expect.broken();
                }
              },
              {.alpha_s = 1e-4, .beta_s_per_byte = 1e-8});
  return broken;
}

Payload bytes_only(double bytes) { return payload_of_bytes(bytes); }

TEST_CASE("the fake fabric keeps the fabric's contract") {
  for (const FabricClaim& claim : fabric_contract()) {
    DYNAMIC_SECTION(name_of(claim)) { CHECK(run_on_fake(claim.node_of_rank, claim.program) == ""); }
  }
}

TEST_CASE("the fake fabric charges alpha + bytes·beta per collective, and nothing by default") {
  for (const double beta : {0.0, 0.5}) {
    std::vector<double> end_s(3);
    run_workers(workers_on({0, 0, 0}),
                [&](Fabric& fabric) {
                  fabric.all_reduce(bytes_only(8), 1, fabric.world());
                  fabric.barrier(fabric.world());
                  end_s[static_cast<std::size_t>(fabric.rank())] = fabric.now_s();
                },
                {.alpha_s = 2 * beta, .beta_s_per_byte = beta});

    CHECK(end_s == std::vector<double>(3, 2 * beta + 8 * beta));
  }
}

TEST_CASE("an exchange behind a computation is exposed only for the rest of it") {
  PhaseTimes phases;
  run_workers(workers_on({0, 0}),
              [&](Fabric& fabric) {
                const Request request = fabric.start_all_reduce(bytes_only(5), 1, fabric.world());
                fabric.compute(3, "work");
                fabric.wait(request);
                if (fabric.rank() == 0) phases = fabric.phases();
              },
              {.alpha_s = 0, .beta_s_per_byte = 1});

  CHECK(phases.compute_s == 3);
  CHECK(phases.exposed_communication_s == 2);
  CHECK(phases.blocked_s == 0);
}

TEST_CASE("the fake fabric records calls with rank, bytes and group") {
  const FakeRun run = run_workers(workers_on({0, 0, 1}), [](Fabric& fabric) {
    fabric.all_reduce(bytes_only(8), 0.25, fabric.world());
    fabric.broadcast(bytes_only(4), fabric.node().ranks.front(), fabric.node());
  });

  REQUIRE(run.calls[1].size() == 2);
  CHECK(run.calls[1][0].name == "all_reduce");
  CHECK(run.calls[1][0].bytes == 8);
  CHECK(run.calls[1][0].weight == 0.25);
  CHECK(run.calls[1][0].ranks == std::vector<int>{0, 1, 2});
  CHECK(run.calls[1][1].name == "broadcast");
  CHECK(run.calls[1][1].peer == 0);
  CHECK(run.of(2, "broadcast").front().ranks == std::vector<int>{2});
}

TEST_CASE("a worker's exception ends the job and is rethrown") {
  const auto program = [](Fabric& fabric) {
    if (fabric.rank() == 1) throw std::runtime_error("rank 1 gives up");
    fabric.barrier(fabric.world());
  };

  CHECK_THROWS_WITH(run_workers(workers_on({0, 0, 1}), program), "rank 1 gives up");
}

TEST_CASE("a deadlock is reported") {
  const auto program = [](Fabric& fabric) {
    if (fabric.rank() > 0) fabric.barrier(fabric.world());
  };

  CHECK_THROWS_WITH(run_workers(workers_on({0, 0, 1}), program),
                    "all ranks wait: rank 2 for barrier");
}

TEST_CASE("members that call different collectives are reported") {
  const auto program = [](Fabric& fabric) {
    if (fabric.rank() == 0) {
      fabric.barrier(fabric.world());
    } else {
      fabric.all_reduce(bytes_only(8), 1, fabric.world());
    }
  };

  CHECK_THROWS_WITH(run_workers(workers_on({0, 0}), program),
                    "all_reduce: another member calls barrier");
}

}  // namespace
}  // namespace epochcast::tests
