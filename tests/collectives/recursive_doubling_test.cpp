// SPDX-License-Identifier: Apache-2.0
#include "collectives/recursive_doubling.hpp"

#include "tests/catch.hpp"
#include "tests/collectives/schedules.hpp"

namespace epochcast::tests {
namespace {

TEST_CASE("recursive doubling sends the whole payload log2(P) times per rank") {
  for (const int doublings : {0, 1, 2, 3, 4, 5, 6}) {
    CAPTURE(doublings);
    const RecursiveDoubling schedule(1 << doublings);

    const auto execution = execute_numbered(schedule);

    CHECK(schedule.rounds(0) == doublings);
    for (const std::int64_t units : execution.units_sent) CHECK(units == doublings);
  }
}

TEST_CASE("recursive doubling of 7 ranks folds the first six in pairs, and unfolds them last") {
  const RecursiveDoubling schedule(7);
  const Block whole{0, 1};

  CHECK(schedule.rounds(0) == 4);
  CHECK(schedule.round(0, 0) == Round{{ActionKind::send, 1, whole}});
  CHECK(schedule.round(1, 0) == Round{{ActionKind::receive_add, 0, whole}});
  CHECK(schedule.round(6, 0).empty());
  CHECK(schedule.round(0, 1).empty());
  // Numbers 0..3 after folding are the ranks 1, 3, 5 and 6 (Open MPI's example in
  // coll_base_allreduce.c).
  CHECK(schedule.round(1, 1) ==
        Round{{ActionKind::send, 3, whole}, {ActionKind::receive_add, 3, whole}});
  CHECK(schedule.round(6, 2) ==
        Round{{ActionKind::send, 3, whole}, {ActionKind::receive_add, 3, whole}});
  CHECK(schedule.round(1, 3) == Round{{ActionKind::send, 0, whole}});
  CHECK(schedule.round(0, 3) == Round{{ActionKind::receive, 1, whole}});
}

}  // namespace
}  // namespace epochcast::tests
