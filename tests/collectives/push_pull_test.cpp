// SPDX-License-Identifier: Apache-2.0
#include "collectives/push_pull.hpp"

#include <algorithm>

#include "tests/catch.hpp"
#include "tests/collectives/schedules.hpp"

namespace epochcast::tests {
namespace {

template <typename Check>
void for_every_push_pull(Check check) {
  for (const int workers : {1, 2, 3, 8, 17}) {
    for (const int servers : {1, 2, 3, 8}) {
      for (const std::int64_t partitions : {1, 2, 3, 7, 16, 50}) {
        CAPTURE(workers, servers, partitions);
        check(PushPull(workers, servers, partitions), workers, servers, partitions);
      }
    }
  }
}

TEST_CASE("push-pull leaves the sum over workers on every worker, with any values on servers") {
  for_every_push_pull([](const PushPull& schedule, int workers, int, std::int64_t) {
    for (const int elements : {1, 16, 101}) {
      const auto execution = execute_numbered(schedule, elements);

      REQUIRE(execution.problem.empty());
      for (int worker = 0; worker < workers; ++worker) {
        REQUIRE(execution.payloads[static_cast<std::size_t>(worker)] ==
                numbered_sum(workers, elements));
      }
    }
  });
}

TEST_CASE("a worker pushes the payload once, a server returns its partitions to every worker") {
  for_every_push_pull(
      [](const PushPull& schedule, int workers, int servers, std::int64_t partitions) {
        const auto execution = execute_numbered(schedule);

        for (int rank = 0; rank < workers + servers; ++rank) {
          const std::int64_t server = rank - workers;
          const std::int64_t handled = (partitions - server + servers - 1) / servers;
          CHECK(execution.units_sent[static_cast<std::size_t>(rank)] ==
                (server < 0 ? partitions : std::max<std::int64_t>(0, handled) * workers));
        }
      });
}

TEST_CASE("partition i is pushed to and pulled from server i mod servers") {
  const PushPull schedule(4, 3, 20);

  for (int worker = 0; worker < 4; ++worker) {
    for (std::int64_t index = 0; index < schedule.rounds(worker); ++index) {
      for (const Action& action : schedule.round(worker, index)) {
        CHECK(action.peer == 4 + action.block.begin % 3);
        CHECK(action.block.size() == 1);
      }
    }
  }
}

TEST_CASE("a push-pull round pushes partitions and pulls those of the previous round") {
  const PushPull schedule(4, 2, 6);

  CHECK(schedule.round(1, 1) == Round{{ActionKind::send, 4, Block{2, 3}},
                                      {ActionKind::send, 5, Block{3, 4}},
                                      {ActionKind::receive, 4, Block{0, 1}},
                                      {ActionKind::receive, 5, Block{1, 2}}});
  CHECK(schedule.rounds(0) == 4);
  CHECK(schedule.rounds(5) == 4);
}

TEST_CASE("push-pull still runs to its end when repeated rounds are omitted") {
  for_every_push_pull([](const PushPull& schedule, int workers, int servers, std::int64_t) {
    for (const RepeatedRounds& run : schedule.repeated()) {
      for (std::int64_t index = run.begin; index + 1 < run.end; ++index) {
        for (int rank = 0; rank < workers + servers; ++rank) {
          const Round now = schedule.round(rank, index);
          const Round next = schedule.round(rank, index + run.period);
          REQUIRE(std::equal(now.begin(),
                             now.end(),
                             next.begin(),
                             next.end(),
                             [](const Action& a, const Action& b) {
                               return a.kind == b.kind && a.peer == b.peer;
                             }));
        }
      }
    }
    for (const int kept : {0, 1, 3}) {
      CHECK(execute_numbered(Shortened(schedule, 1, kept)).problem.empty());
    }
  });
}

TEST_CASE("push-pull cuts the payload into partitions of at most the given size") {
  CHECK(PushPull::partitions_for(0, 4'096'000) == 1);
  CHECK(PushPull::partitions_for(4'096'000, 4'096'000) == 1);
  CHECK(PushPull::partitions_for(4'096'001, 4'096'000) == 2);
  CHECK_THROWS_WITH(PushPull::partitions_for(4, 0), "a partition needs at least one byte");
}

TEST_CASE("push-pull without workers, servers or partitions is refused") {
  CHECK_THROWS_WITH(PushPull(0, 1, 1), "push-pull needs at least one worker");
  CHECK_THROWS_WITH(PushPull(1, 0, 1), "push-pull needs at least one summation server");
  CHECK_THROWS_WITH(PushPull(1, 1, 0), "push-pull needs at least one partition");
}

}  // namespace
}  // namespace epochcast::tests
