// SPDX-License-Identifier: Apache-2.0
#include "collectives/multitree.hpp"

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "tests/catch.hpp"
#include "tests/collectives/schedules.hpp"

namespace epochcast::tests {
namespace {

/// Blocks that cross between nodes in a round, most from and most to one node; and inside nodes,
/// most from and most to one rank.
struct Load {
  int node = 0;
  int rank = 0;
};

Load most_load(const Schedule& schedule, const std::vector<int>& node_of_rank, std::int64_t index) {
  std::map<int, int> out;
  std::map<int, int> in;
  Load most;
  for (int rank = 0; rank < schedule.ranks(); ++rank) {
    std::map<ActionKind, int> inside;
    const int node = node_of_rank[static_cast<std::size_t>(rank)];
    for (const Action& action : schedule.round(rank, index)) {
      const bool sends = action.kind == ActionKind::send;
      CHECK(action.block.size() == 1);
      if (node_of_rank[static_cast<std::size_t>(action.peer)] != node) {
        most.node = std::max(most.node, sends ? ++out[node] : ++in[node]);
      } else {
        most.rank = std::max(most.rank, ++inside[action.kind]);
      }
    }
  }
  return most;
}

TEST_CASE("the trees of a time step share no link, in a node or between nodes") {
  for (const int per_node : {1, 2, 4}) {
    for (const int ranks : {2, 4, 7, 16}) {
      CAPTURE(per_node, ranks);
      const GroupShape shape = shape_of(ranks, per_node);
      const MultiTree schedule(shape.node_of_rank);
      for (std::int64_t index = 0; index < schedule.rounds(0); ++index) {
        const Load most = most_load(schedule, shape.node_of_rank, index);
        CHECK(most.node <= 1);
        CHECK(most.rank <= 1);
      }
    }
  }
}

TEST_CASE("every rank contributes to each block once, and receives each block once") {
  for (const int per_node : {1, 3, 4}) {
    CAPTURE(per_node);
    const auto execution = execute_numbered(MultiTree(shape_of(12, per_node).node_of_rank));
    std::int64_t sent = 0;
    for (const auto units : execution.units_sent) sent += units;
    CHECK(sent == 2 * 12 * 11);
  }
}

TEST_CASE("with one rank per node the trees take as many steps as a ring") {
  for (const int ranks : {1, 2, 3, 8, 17}) {
    CAPTURE(ranks);
    CHECK(MultiTree(shape_of(ranks, 1).node_of_rank).steps() == ranks - 1);
  }
}

TEST_CASE(
    "links in nodes are used at the same time as those between them: fewer steps than a ring") {
  for (const auto& [nodes, per_node] : {std::pair(4, 4), std::pair(8, 4), std::pair(3, 2)}) {
    CAPTURE(nodes, per_node);
    const std::int64_t steps = MultiTree(shape_of(nodes * per_node, per_node).node_of_rank).steps();
    const std::int64_t least = std::max(per_node * (nodes - 1), nodes * (per_node - 1));
    CHECK(steps >= least);
    CHECK(steps <= nodes * per_node - 1);
    // The last trees to come to a node have to be spread there afterwards.
    CHECK(steps < least + per_node);
  }
}

TEST_CASE("ranks may be on nodes in any order") {
  const std::vector<int> node_of_rank = {5, 2, 5, 7, 2, 5, 7};
  const MultiTree schedule(node_of_rank);

  const auto execution = execute_numbered(schedule, 14);

  REQUIRE(execution.problem.empty());
  for (const auto& payload : execution.payloads) CHECK(payload == numbered_sum(7, 14));
}

TEST_CASE("more than kMostRanks ranks are refused") {
  CHECK_THROWS_WITH(MultiTree(std::vector<int>(513, 0)),
                    "--all-reduce: multitree is simulated among at most 512 ranks; got 513; take "
                    "ring or hierarchical");
}

}  // namespace
}  // namespace epochcast::tests
