// SPDX-License-Identifier: Apache-2.0
#include "collectives/double_binary_tree.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "tests/catch.hpp"
#include "tests/collectives/schedules.hpp"

namespace epochcast::tests {
namespace {

/// Whether `rank` has children in each of the two trees: whether it ever adds something of that
/// half.
std::array<bool, 2> is_inner(const DoubleBinaryTree& schedule, int rank) {
  std::array<bool, 2> is_inner{};
  for (std::int64_t index = 0; index < schedule.rounds(rank); ++index) {
    for (const Action& action : schedule.round(rank, index)) {
      if (action.kind != ActionKind::receive_add) continue;
      is_inner[action.block.begin < schedule.divisions() / 2 ? 0 : 1] = true;
    }
  }
  return is_inner;
}

TEST_CASE("an inner node of one of the two trees is a leaf of the other, except rank 0 of odd P") {
  for (const int ranks : tested_rank_counts()) {
    const DoubleBinaryTree schedule(ranks, 2);
    for (int rank = ranks % 2; rank < ranks; ++rank) {
      CAPTURE(ranks, rank);
      const std::array<bool, 2> inner = is_inner(schedule, rank);
      CHECK_FALSE((inner[0] && inner[1]));
    }
  }
}

TEST_CASE("double binary trees move 2(P-1) payloads in all and at most 2 out of or into a rank") {
  for (const int ranks : tested_rank_counts()) {
    CAPTURE(ranks);
    const DoubleBinaryTree schedule(ranks, 4);
    const std::int64_t payload_units = schedule.divisions();
    std::vector<std::int64_t> received(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
      for (std::int64_t index = 0; index < schedule.rounds(rank); ++index) {
        for (const Action& action : schedule.round(rank, index)) {
          if (action.kind == ActionKind::send) continue;
          received[static_cast<std::size_t>(rank)] += action.block.size();
        }
      }
    }

    const auto sent = execute_numbered(schedule).units_sent;

    CHECK(std::accumulate(sent.begin(), sent.end(), std::int64_t{0}) ==
          2 * (ranks - 1) * payload_units);
    CHECK(*std::max_element(sent.begin(), sent.end()) <= 2 * payload_units);
    CHECK(*std::max_element(received.begin(), received.end()) <= 2 * payload_units);
  }
}

TEST_CASE("double binary trees take segments + 2·ceil(log2 P) - 1 rounds") {
  for (const int ranks : {2, 3, 4, 7, 8, 9, 64}) {
    for (const std::int64_t segments : {1, 2, 50}) {
      CAPTURE(ranks, segments);
      const int height = static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1)));
      CHECK(DoubleBinaryTree(ranks, segments).rounds(0) == segments + 2 * height - 1);
    }
  }
}

TEST_CASE("a round of the double binary trees moves different segments up and down at once") {
  const DoubleBinaryTree schedule(16, 100);

  const Round round = schedule.round(8, 50);

  // Rank 8 is inner in the first tree (height 3, depth 1, H = 4) and, mirrored to 7, a leaf of the
  // second.
  const auto sends = [](const Action& action) { return action.kind == ActionKind::send; };
  CHECK(round.size() == 8);
  CHECK(std::count_if(round.begin(), round.end(), sends) == 4);
  CHECK(round[0] == Action{ActionKind::receive_add, 4, Block{48, 49}});
  CHECK(round[1] == Action{ActionKind::receive_add, 12, Block{48, 49}});
  CHECK(round[2] == Action{ActionKind::send, 0, Block{47, 48}});
  CHECK(round[3] == Action{ActionKind::receive, 0, Block{46, 47}});
  CHECK(round[4] == Action{ActionKind::send, 4, Block{45, 46}});
  CHECK(round[5] == Action{ActionKind::send, 12, Block{45, 46}});
}

TEST_CASE("half of the payload is cut into segments of at most 256 KiB") {
  CHECK(DoubleBinaryTree::segments_for(0) == 1);
  CHECK(DoubleBinaryTree::segments_for(512 * 1024) == 1);
  CHECK(DoubleBinaryTree::segments_for(512 * 1024 + 1) == 2);
  CHECK(DoubleBinaryTree::segments_for(100 * 512 * 1024) == 100);
}

TEST_CASE("double binary trees of no segments are refused") {
  CHECK_THROWS_WITH(DoubleBinaryTree(4, 0), "a double binary tree needs at least one segment");
}

}  // namespace
}  // namespace epochcast::tests
