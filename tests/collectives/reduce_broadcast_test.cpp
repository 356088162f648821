// SPDX-License-Identifier: Apache-2.0
#include "collectives/reduce_broadcast.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

#include "collectives/binary_tree.hpp"
#include "collectives/linear.hpp"
#include "tests/catch.hpp"
#include "tests/collectives/schedules.hpp"

namespace epochcast::tests {
namespace {

template <typename Up, typename Down>
ReduceBroadcast over(int ranks, Up up, Down down) {
  return ReduceBroadcast(ranks, std::make_unique<Up>(up), std::make_unique<Down>(down));
}

TEST_CASE("reducing to one root and broadcasting from another leaves the sum on every rank") {
  for (const int ranks : tested_rank_counts()) {
    CAPTURE(ranks);
    const auto schedule = over(ranks, InOrderBinaryTree(ranks), KnomialTree(ranks, 4));

    const auto execution = execute_numbered(schedule, 5);

    REQUIRE(execution.problem.empty());
    for (const auto& payload : execution.payloads) CHECK(payload == numbered_sum(ranks, 5));
  }
}

TEST_CASE("a binary tree moves the payload over each of its P-1 edges once up and once down") {
  for (const int ranks : tested_rank_counts()) {
    CAPTURE(ranks);

    const auto sent = execute_numbered(BinaryTree(ranks)).units_sent;

    CHECK(std::accumulate(sent.begin(), sent.end(), std::int64_t{0}) == 2 * (ranks - 1));
    CHECK(*std::max_element(sent.begin(), sent.end()) <= 3);
  }
}

TEST_CASE("linear all-reduce receives in turn from the last rank to the first, then sends to all") {
  const Linear schedule(5);

  CHECK(schedule.rounds(0) == 5);
  CHECK(schedule.rounds(3) == 2);
  CHECK(schedule.round(0, 0) == Round{{ActionKind::receive_add, 4, Block{0, 1}}});
  CHECK(schedule.round(0, 3) == Round{{ActionKind::receive_add, 1, Block{0, 1}}});
  CHECK(schedule.round(0, 4).size() == 4);
}

}  // namespace
}  // namespace epochcast::tests
