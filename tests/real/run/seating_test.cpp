// SPDX-License-Identifier: Apache-2.0
#include "real/run/seating.hpp"

#include "tests/catch.hpp"
#include "tests/core/problems_of.hpp"

namespace epochcast::tests {
namespace {

using real::seat;
using Workers = std::vector<std::optional<int>>;

constexpr std::nullopt_t kRests = std::nullopt;

/// Workers on these nodes.
std::vector<WorkerInfo> workers_on(const std::vector<int>& nodes) {
  std::vector<WorkerInfo> workers;
  for (const int node : nodes) {
    workers.emplace_back();
    workers.back().node = node;
  }
  return workers;
}

TEST_CASE("each node's workers sit on the machine in its place, and the other ranks rest") {
  const auto seating = seat(workers_on({0, 1, 1, 2, 3}), {0, 0, 1, 1, 2, 2, 3, 3});

  CHECK(seating.worker_of_rank == Workers{0, kRests, 1, 2, 3, kRests, 4, kRests});
  CHECK(seating.machines == 4);
  CHECK_FALSE(seating.is_shared);
}

TEST_CASE("a machine whose node has no worker rests") {
  CHECK(seat(workers_on({0, 3}), {0, 1, 2, 3}).worker_of_rank == Workers{0, kRests, kRests, 1});
}

TEST_CASE("where hosts of idle nodes were left out, the others follow one another") {
  const auto seating = seat(workers_on({0, 2, 2, 3}), {0, 1, 1, 2});

  CHECK(seating.worker_of_rank == Workers{0, 1, 2, 3});
  CHECK_FALSE(seating.is_shared);
}

TEST_CASE("summing servers, the last of the workers, sit with their nodes") {
  CHECK(seat(workers_on({0, 1, 0, 1}), {0, 0, 1, 1}).worker_of_rank == Workers{0, 2, 1, 3});
}

TEST_CASE("machines that nodes do not fit one by one take as many as they have room for") {
  const auto one = seat(workers_on({0, 1, 1}), {0, 0, 0});
  CHECK(one.worker_of_rank == Workers{0, 1, 2});
  CHECK(one.machines == 1);
  CHECK(one.is_shared);

  const auto two = seat(workers_on({0, 0, 1, 2}), {0, 0, 0, 1});
  CHECK(two.worker_of_rank == Workers{0, 1, 2, 3});
  CHECK(two.machines == 2);
  CHECK(two.is_shared);
}

TEST_CASE("a node is never divided, and every worker needs a rank") {
  const auto problems = [](const std::vector<int>& nodes, const std::vector<int>& machines) {
    return problems_of([&] { static_cast<void>(seat(workers_on(nodes), machines)); });
  };

  CHECK(problems({0, 1, 1}, {0, 0, 1}) ==
        Texts{"no machine has room left for the 2 workers of node 1; give every host a multiple of "
              "a node's workers"});
  CHECK(problems({0, 1, 1}, {0, 1}) ==
        Texts{"this job needs 3 ranks, one for each worker of the platform; mpirun started 2"});
}

}  // namespace
}  // namespace epochcast::tests
