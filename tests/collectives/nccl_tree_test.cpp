// SPDX-License-Identifier: Apache-2.0
#include "collectives/nccl_tree.hpp"

#include <algorithm>
#include <numeric>

#include "collectives/nccl_ring.hpp"
#include "tests/catch.hpp"
#include "tests/collectives/schedules.hpp"

namespace epochcast::tests {
namespace {

/// Units that cross between nodes, out of each node.
std::vector<std::int64_t> sent_by_nodes(const Schedule& schedule, const std::vector<int>& node) {
  std::vector<std::int64_t> sent(static_cast<std::size_t>(node.back()) + 1);
  for (int rank = 0; rank < schedule.ranks(); ++rank) {
    const auto own = static_cast<std::size_t>(node[static_cast<std::size_t>(rank)]);
    for (std::int64_t index = 0; index < schedule.rounds(rank); ++index) {
      for (const Action& action : schedule.round(rank, index)) {
        const bool is_inside = node[static_cast<std::size_t>(action.peer)] == static_cast<int>(own);
        if (action.kind == ActionKind::send && !is_inside) sent[own] += action.block.size();
      }
    }
  }
  return sent;
}

TEST_CASE(
    "a tree of nodes sends 2(P-1) payloads in all, at most 2 out of a rank and out of a node") {
  for (const int nodes : {1, 2, 3, 8, 11}) {
    for (const int per_node : {1, 2, 5}) {
      CAPTURE(nodes, per_node);
      const GroupShape shape = shape_of(nodes * per_node, per_node);
      const NcclTree schedule(shape.node_of_rank, 3);
      const std::int64_t payload = schedule.divisions();

      const auto sent = execute_numbered(schedule).units_sent;
      const auto by_nodes = sent_by_nodes(schedule, shape.node_of_rank);

      CHECK(std::accumulate(sent.begin(), sent.end(), std::int64_t{0}) ==
            2 * (nodes * per_node - 1) * payload);
      CHECK(std::accumulate(by_nodes.begin(), by_nodes.end(), std::int64_t{0}) ==
            2 * (nodes - 1) * payload);
      CHECK(*std::max_element(by_nodes.begin(), by_nodes.end()) <= 2 * payload);
    }
  }
}

TEST_CASE("a tree of nodes takes segments + 2(C + H) - 1 rounds") {
  // 4 nodes: H = 2; chains of 3 ranks: C = 2.
  CHECK(NcclTree(shape_of(12, 3).node_of_rank, 10).rounds(0) == 10 + 2 * (2 + 2) - 1);
  // One node: a chain.
  CHECK(NcclTree(shape_of(8, 8).node_of_rank, 1).rounds(0) == 2 * 7);
  CHECK(NcclTree({0}, 5).rounds(0) == 0);
}

TEST_CASE("a chain hands segments to its head, which sends them on, and back") {
  const NcclTree schedule({0, 0, 1, 1}, 1);

  // Both halves of the payload; C = 1, H = 1.
  CHECK(schedule.round(1, 0) ==
        Round{Action{ActionKind::send, 0, Block{0, 1}}, Action{ActionKind::send, 0, Block{1, 2}}});
  // The first tree has its root on node 0, the second one on node 1.
  CHECK(schedule.round(0, 1) == Round{Action{ActionKind::receive_add, 2, Block{0, 1}},
                                      Action{ActionKind::send, 2, Block{1, 2}}});
  CHECK(schedule.round(1, 3) == Round{Action{ActionKind::receive, 0, Block{1, 2}}});
}

TEST_CASE("nodes of different sizes and in any order get the sum") {
  for (const std::vector<int>& node_of_rank : {std::vector<int>{0, 0, 0, 1, 2, 2},
                                               std::vector<int>{2, 0, 1, 0, 2, 2, 1},
                                               std::vector<int>{0, 1, 1, 1, 1}}) {
    const int ranks = static_cast<int>(node_of_rank.size());
    for (const int elements : {1, 40}) {
      const auto is_sum = [&](const auto& payload) {
        return payload == numbered_sum(ranks, elements);
      };
      const auto tree = execute_numbered(NcclTree(node_of_rank, 4), elements);
      const auto ring = execute_numbered(NcclRing(node_of_rank), elements);

      CHECK(tree.problem.empty());
      CHECK(std::all_of(tree.payloads.begin(), tree.payloads.end(), is_sum));
      CHECK(ring.problem.empty());
      CHECK(std::all_of(ring.payloads.begin(), ring.payloads.end(), is_sum));
    }
  }
}

TEST_CASE("a ring visits every node once, whatever the order of ranks") {
  const std::vector<int> node_of_rank = {0, 1, 0, 1, 0, 1};

  const auto sent = sent_by_nodes(NcclRing(node_of_rank), node_of_rank);

  // One link out of each node, with 2(P-1) blocks.
  CHECK(sent == std::vector<std::int64_t>{10, 10});
}

TEST_CASE("a tree of no segments is refused") {
  CHECK_THROWS_WITH(NcclTree({0, 1}, 0), "a tree needs at least one segment");
}

}  // namespace
}  // namespace epochcast::tests
