// SPDX-License-Identifier: Apache-2.0
#include "collectives/ring.hpp"

#include "collectives/segmented_ring.hpp"
#include "tests/catch.hpp"
#include "tests/collectives/schedules.hpp"

namespace epochcast::tests {
namespace {

TEST_CASE("ring all-reduce sends 2(P-1) chunks of 1/P of the payload per rank") {
  for (const int ranks : tested_rank_counts()) {
    CAPTURE(ranks);
    const Ring ring(ranks);

    const auto execution = execute_numbered(ring);

    CHECK(ring.divisions() == ranks);
    for (std::size_t rank = 0; rank < execution.units_sent.size(); ++rank) {
      CHECK(execution.messages_sent[rank] == 2 * (ranks - 1));
      CHECK(execution.units_sent[rank] == 2 * (ranks - 1));
    }
  }
}

TEST_CASE("a ring's ranks send to the next rank and receive from the previous one only") {
  const Ring ring(5);

  for (std::int64_t index = 0; index < ring.rounds(0); ++index) {
    for (int rank = 0; rank < 5; ++rank) {
      const Round round = ring.round(rank, index);
      REQUIRE(round.size() == 2);
      CHECK(round[0].kind == ActionKind::send);
      CHECK(round[0].peer == (rank + 1) % 5);
      CHECK(round[1].kind == (index < 4 ? ActionKind::receive_add : ActionKind::receive));
      CHECK(round[1].peer == (rank + 4) % 5);
    }
  }
}

TEST_CASE("a ring of 10,000 ranks gives any round without computing the others") {
  const Ring ring(10'000);

  const Round round = ring.round(9'999, 19'997);

  CHECK(ring.rounds(0) == 19'998);
  REQUIRE(round.size() == 2);
  // The last step of the all-gather: 9'998 blocks have come round since block 9'999 left its rank.
  CHECK(round[0] == Action{ActionKind::send, 0, Block{1, 2}});
  CHECK(round[1] == Action{ActionKind::receive, 9'998, Block{0, 1}});
}

TEST_CASE("a ring's reduce-scatter and all-gather give the sums of its all-reduce, bit by bit") {
  for (int ranks = 1; ranks <= 9; ++ranks) {
    CAPTURE(ranks);
    std::vector<std::vector<float>> payloads;
    for (int rank = 0; rank < ranks; ++rank) {
      auto& payload = payloads.emplace_back();
      for (int i = 0; i < 3 * ranks + 1; ++i) {
        payload.push_back(1 / static_cast<float>(7 * rank + i + 1));  // sums depend on their order
      }
    }

    const auto reduced = execute(Ring(ranks), payloads);
    const auto scattered = execute(RingReduceScatter(Parts::equal(ranks)), payloads);
    const auto gathered = execute(RingAllGather(Parts::equal(ranks)), scattered.payloads);

    CHECK(gathered.payloads == reduced.payloads);
  }
}

TEST_CASE("a segmented ring sends as many bytes as a ring, in smaller messages") {
  const SegmentedRing segmented(6, 4);

  const auto execution = execute_numbered(segmented);

  CHECK(segmented.divisions() == 24);
  for (std::size_t rank = 0; rank < 6; ++rank) {
    CHECK(execution.messages_sent[rank] == 4 * 5 + 5);
    CHECK(execution.units_sent[rank] == 2 * 5 * 4);
  }
}

TEST_CASE("a segmented ring's number of phases rounds half down and is at least one") {
  const std::int64_t mebibyte = 1 << 20;

  CHECK(SegmentedRing::phases_for(4, 0, mebibyte) == 1);
  CHECK(SegmentedRing::phases_for(4, 4 * mebibyte, mebibyte) == 1);
  CHECK(SegmentedRing::phases_for(4, 6 * mebibyte, mebibyte) == 1);
  CHECK(SegmentedRing::phases_for(4, 6 * mebibyte + 4, mebibyte) == 2);
  CHECK(SegmentedRing::phases_for(4, 40 * mebibyte, mebibyte) == 10);
}

TEST_CASE("a segmented ring of no phases is refused") {
  CHECK_THROWS_WITH(SegmentedRing(4, 0), "a segmented ring needs at least one phase");
}

}  // namespace
}  // namespace epochcast::tests
