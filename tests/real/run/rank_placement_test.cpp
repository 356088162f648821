// SPDX-License-Identifier: Apache-2.0
#include "real/run/rank_placement.hpp"

#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

using real::place_workers;
using Workers = std::vector<std::optional<int>>;

constexpr std::nullopt_t kIdle = std::nullopt;

/// Workers on these nodes.
std::vector<WorkerInfo> workers_on(const std::vector<int>& nodes) {
  std::vector<WorkerInfo> workers;
  for (const int node : nodes) {
    workers.emplace_back();
    workers.back().node = node;
  }
  return workers;
}

TEST_CASE("workers of node i are placed on machine i, and other ranks are idle") {
  const auto placement = place_workers(workers_on({0, 1, 1, 2, 3}), {0, 0, 1, 1, 2, 2, 3, 3});

  CHECK(placement.worker_of_rank == Workers{0, kIdle, 1, 2, 3, kIdle, 4, kIdle});
  CHECK(placement.machines == 4);
  CHECK_FALSE(placement.is_shared);
}

TEST_CASE("ranks of a machine whose node has no worker are idle") {
  CHECK(place_workers(workers_on({0, 3}), {0, 1, 2, 3}).worker_of_rank ==
        Workers{0, kIdle, kIdle, 1});
}

TEST_CASE("without hosts for idle nodes, nodes are placed on machines in order") {
  const auto placement = place_workers(workers_on({0, 2, 2, 3}), {0, 1, 1, 2});

  CHECK(placement.worker_of_rank == Workers{0, 1, 2, 3});
  CHECK_FALSE(placement.is_shared);
}

TEST_CASE("servers, which are numbered after all workers, are placed with their nodes") {
  CHECK(place_workers(workers_on({0, 1, 0, 1}), {0, 0, 1, 1}).worker_of_rank ==
        Workers{0, 2, 1, 3});
}

TEST_CASE("several nodes are placed on a machine with enough ranks if there are fewer machines") {
  const auto one = place_workers(workers_on({0, 1, 1}), {0, 0, 0});
  CHECK(one.worker_of_rank == Workers{0, 1, 2});
  CHECK(one.machines == 1);
  CHECK(one.is_shared);

  const auto two = place_workers(workers_on({0, 0, 1, 2}), {0, 0, 0, 1});
  CHECK(two.worker_of_rank == Workers{0, 1, 2, 3});
  CHECK(two.machines == 2);
  CHECK(two.is_shared);
}

TEST_CASE("a node is never divided between machines, and every worker needs a rank") {
  const auto problems = [](const std::vector<int>& nodes, const std::vector<int>& machines) {
    return problems_of([&] { static_cast<void>(place_workers(workers_on(nodes), machines)); });
  };

  CHECK(problems({0, 1, 1}, {0, 0, 1}) ==
        Texts{"no machine has room left for the 2 workers of node 1; give every host a multiple of "
              "a node's workers"});
  CHECK(problems({0, 1, 1}, {0, 1}) ==
        Texts{"this job needs 3 ranks, one for each worker of the platform; mpirun started 2"});
}

}  // namespace
}  // namespace epochcast::tests
