// SPDX-License-Identifier: Apache-2.0
#include "collectives/all_gather.hpp"

#include "tests/catch.hpp"
#include "tests/collectives/schedules.hpp"

namespace epochcast::tests {
namespace {

TEST_CASE("an all-gather delivers every rank's unit to all, and each rank sends ranks - 1 units") {
  for (const int ranks : tested_rank_counts()) {
    CAPTURE(ranks);
    const BruckAllGather schedule(ranks);

    const auto execution = execute(schedule, numbered_payloads(ranks, ranks));

    REQUIRE(execution.problem.empty());
    for (const std::vector<std::int64_t>& payload : execution.payloads) {
      for (int unit = 0; unit < ranks; ++unit)
        CHECK(payload[static_cast<std::size_t>(unit)] == 1000 * unit + unit);
    }
    for (const std::int64_t units : execution.units_sent) CHECK(units == ranks - 1);
  }
}

TEST_CASE("an all-gather takes ceil(log2(P)) rounds") {
  CHECK(BruckAllGather(1).rounds(0) == 0);
  CHECK(BruckAllGather(2).rounds(0) == 1);
  CHECK(BruckAllGather(5).rounds(0) == 3);
  CHECK(BruckAllGather(8).rounds(0) == 3);
  // Rank 4 of 5 has its own unit and, after the first round, unit 0.
  CHECK(BruckAllGather(5).round(4, 1) == Round{{ActionKind::send, 2, {4, 5}},
                                               {ActionKind::send, 2, {0, 1}},
                                               {ActionKind::receive, 1, {1, 3}}});
}

}  // namespace
}  // namespace epochcast::tests
