// SPDX-License-Identifier: Apache-2.0
#include "collectives/rabenseifner.hpp"

#include "tests/catch.hpp"
#include "tests/collectives/schedules.hpp"

namespace epochcast::tests {
namespace {

TEST_CASE("Rabenseifner sends 2(P-1)/P of the payload in 2·log2(P) messages per rank") {
  for (const int doublings : {0, 1, 2, 3, 4, 5, 6}) {
    CAPTURE(doublings);
    const int ranks = 1 << doublings;
    const Rabenseifner schedule(ranks);

    const auto execution = execute_numbered(schedule);

    CHECK(schedule.divisions() == ranks);
    for (std::size_t rank = 0; rank < execution.units_sent.size(); ++rank) {
      CHECK(execution.units_sent[rank] == 2 * (ranks - 1));
      CHECK(execution.messages_sent[rank] == 2 * doublings);
    }
  }
}

TEST_CASE("Rabenseifner halves the block and doubles the distance from step to step") {
  const Rabenseifner schedule(8);

  for (int step = 0; step < 3; ++step) {
    const Round scatter = schedule.round(0, step);
    const Round gather = schedule.round(0, 5 - step);
    CHECK(scatter[0].peer == 1 << step);
    CHECK(scatter[0].block.size() == 4 >> step);
    CHECK(gather[0].peer == 1 << step);
    CHECK(gather[0].block.size() == 4 >> step);
  }
}

TEST_CASE("Rabenseifner of 6 ranks folds by halves: every byte of the fold is sent once") {
  const Rabenseifner schedule(6);

  const auto execution = execute_numbered(schedule);

  CHECK(schedule.divisions() == 4);
  CHECK(schedule.rounds(0) == 2 + 4 + 1);
  // Even ranks of the pairs: half in the fold, 2·3/4 with the four, the sum in the unfold.
  CHECK(execution.units_sent[0] == 2 + 6 + 4);
  // Odd ranks of the pairs: half to exchange, half to hand over.
  CHECK(execution.units_sent[1] == 2 + 2);
  CHECK(execution.units_sent[5] == 6);
}

}  // namespace
}  // namespace epochcast::tests
