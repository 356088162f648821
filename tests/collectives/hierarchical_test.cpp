// SPDX-License-Identifier: Apache-2.0
#include "collectives/hierarchical.hpp"

#include "tests/catch.hpp"
#include "tests/collectives/schedules.hpp"

namespace epochcast::tests {
namespace {

/// Units of the payload that `rank` sends to ranks of other nodes.
std::int64_t units_across(const Schedule& schedule,
                          const std::vector<int>& node_of_rank,
                          int rank) {
  std::int64_t units = 0;
  const auto node = [&](int r) { return node_of_rank[static_cast<std::size_t>(r)]; };
  for (std::int64_t index = 0; index < schedule.rounds(rank); ++index) {
    for (const Action& action : schedule.round(rank, index)) {
      if (action.kind == ActionKind::send && node(action.peer) != node(rank)) {
        units += action.block.size();
      }
    }
  }
  return units;
}

TEST_CASE("with equal nodes every rank sends 2(M-1)/M of its shard across nodes") {
  const int nodes = 3;
  const int per_node = 4;
  const GroupShape shape = shape_of(nodes * per_node, per_node);
  const Hierarchical schedule(shape.node_of_rank);

  const auto execution = execute_numbered(schedule);

  CHECK(schedule.divisions() == nodes * per_node);
  CHECK(schedule.rounds(0) == 2 * (per_node - 1) + 2 * (nodes - 1));
  for (int rank = 0; rank < schedule.ranks(); ++rank) {
    CAPTURE(rank);
    const std::int64_t across = 2 * (nodes - 1);  // blocks of 1/(M·R) of the payload
    const std::int64_t inside = 2 * (per_node - 1) * nodes;
    CHECK(units_across(schedule, shape.node_of_rank, rank) == across);
    CHECK(execution.units_sent[static_cast<std::size_t>(rank)] == across + inside);
  }
}

TEST_CASE("with unequal nodes only the first rank of a node sends across nodes") {
  const std::vector<int> node_of_rank{0, 0, 0, 1, 2, 2};
  const Hierarchical schedule(node_of_rank);

  CHECK(schedule.divisions() == 3);
  for (const int leader : {0, 3, 4}) {
    CHECK(units_across(schedule, node_of_rank, leader) == 2 * (3 - 1));
  }
  for (const int other : {1, 2, 5}) CHECK(units_across(schedule, node_of_rank, other) == 0);
}

TEST_CASE("hierarchical sums over ranks in any order of nodes") {
  for (const std::vector<int>& node_of_rank : std::vector<std::vector<int>>{
           {7, 3, 7, 3}, {0, 1, 2, 0, 1, 2, 2}, {5, 5, 5, 5, 9, 9, 9, -1}, {4, 4, 4}, {2, 1, 0}}) {
    const auto ranks = static_cast<int>(node_of_rank.size());
    CAPTURE(node_of_rank);

    const auto execution = execute_numbered(Hierarchical(node_of_rank), 11);

    REQUIRE(execution.problem.empty());
    for (const auto& payload : execution.payloads) CHECK(payload == numbered_sum(ranks, 11));
  }
}

TEST_CASE("hierarchical of 1,250 nodes with 8 ranks each gives its rounds on demand") {
  const Hierarchical schedule(shape_of(10'000, 8).node_of_rank);

  CHECK(schedule.ranks() == 10'000);
  CHECK(schedule.divisions() == 10'000);
  CHECK(schedule.rounds(9'999) == 7 + 2 * 1'249 + 7);
  // In the node: an eighth of the payload to the next rank of the node.
  CHECK(schedule.round(9'999, 0)[0] == Action{ActionKind::send, 9'992, Block{7'500, 8'750}});
  // Across: rank 0 holds shard 0 by then, and exchanges 1/1,250 of it with the same place of other
  // nodes.
  CHECK(schedule.round(0, 7)[0] == Action{ActionKind::send, 8, Block{1'249, 1'250}});
  CHECK(schedule.round(0, 7)[1] == Action{ActionKind::receive_add, 9'992, Block{1'248, 1'249}});
  CHECK(schedule.repeated().size() == 4);
}

}  // namespace
}  // namespace epochcast::tests
