// SPDX-License-Identifier: Apache-2.0
// Exchanges of the library's own all-reduce that take turns.
#include <string>
#include <vector>

#include "core/costs/message_costs.hpp"
#include "tests/catch.hpp"
#include "tests/sim/clusters.hpp"

namespace epochcast::tests {
namespace {

constexpr double kWholeBytes = 1e-6;  // SimGrid sends whole bytes

/// An all-reduce among nodes of which the last comes so much later.
double openmpi_s(int ranks,
                 double late_s,
                 double turns_from_bytes,
                 const std::string& algorithm,
                 double turns_share = 1,
                 double share_of_two_together = 0) {
  Platform star = plain_star(ranks, {.bytes_per_s = 1e8, .latency_s = 5e-6});
  star.network->messages = MessageCosts{
      .regimes = {{.from_bytes = 0, .latency_s = 10e-6, .bytes_per_s = 1e8}},
      .turns_from_bytes = turns_from_bytes,
      .turns_share = turns_share,
      .turns_share_of_two_together = share_of_two_together,
      .turns_one_late = {{.bytes = 1e6, .share = 1}, {.bytes = 4e6, .share = turns_share}}};
  const Observed observed = observe(star, [&](Fabric& fabric) {
    const Communicator& among =
        fabric.communicator(fabric.world().ranks, {.algorithm = algorithm, .servers = {}});
    if (fabric.rank() == ranks - 1) fabric.compute(late_s, "late");
    fabric.all_reduce({.bytes = 4e6, .values = {}}, 1, among);
  });
  return observed.last_s() - late_s;
}

TEST_CASE("exchanges of the library's own all-reduce take turns, unless two come together") {
  const double there_and_back_s = 2 * (10e-6 + 2e6 / 1e8);  // Rabenseifner's: a half each

  CHECK(openmpi_s(2, 0.1, 65536, "openmpi") == Approx(2 * there_and_back_s).epsilon(kWholeBytes));
  CHECK(openmpi_s(2, 0.1, 65536, "openmpi", 0.25) ==
        Approx(1.25 * (there_and_back_s - 2 * 10e-6) + 4 * 10e-6).epsilon(kWholeBytes));
  CHECK(openmpi_s(2, 0, 65536, "openmpi") == Approx(there_and_back_s).epsilon(kWholeBytes));
  // By chance, those that come together do, too: as often as was measured.
  CHECK(openmpi_s(2, 0, 65536, "openmpi", 1, 1) ==
        Approx(2 * there_and_back_s).epsilon(kWholeBytes));
  CHECK(openmpi_s(2, 0.1, 3e6, "openmpi") == Approx(there_and_back_s).epsilon(kWholeBytes));
  CHECK(openmpi_s(2, 0.1, 65536, "rabenseifner") == Approx(there_and_back_s).epsilon(kWholeBytes));
  CHECK(openmpi_s(4, 0, 65536, "openmpi") ==
        Approx(2 * openmpi_s(4, 0, 65536, "rabenseifner")).epsilon(kWholeBytes));
  const double nobody_s = openmpi_s(4, 0, 65536, "rabenseifner");
  CHECK(openmpi_s(4, 0, 65536, "openmpi", 0) == Approx(nobody_s).epsilon(kWholeBytes));
  // Of each message a quarter comes later, after a latency of its own.
  CHECK(openmpi_s(4, 0, 65536, "openmpi", 0.25) ==
        Approx(1.25 * (nobody_s - 4 * 10e-6) + 8 * 10e-6).epsilon(kWholeBytes));
}

TEST_CASE("of pairs that share a link, half of what takes turns goes the same way at a time") {
  // Ranks 0 and 1 on one node, 2 and 3 on the other: Rabenseifner's first halves stay on nodes,
  // then 0 and 2, and 1 and 3 exchange quarters.
  Platform two = mixed(2, 2, 0, shared_memory(), star());
  const auto all_reduce_s = [&](double turns_share) {
    two.network->messages = MessageCosts{.regimes = {{.from_bytes = 0, .bytes_per_s = 1e8}},
                                         .turns_from_bytes = 65536,
                                         .turns_share = turns_share};
    two.network->link.bytes_per_s = 1e8;
    return observe(two,
                   [&](Fabric& fabric) {
                     const Communicator& among = fabric.communicator(
                         fabric.world().ranks, {.algorithm = "openmpi", .servers = {}});
                     fabric.all_reduce({.bytes = 4e6, .values = {}}, 1, among);
                   })
        .last_s();
  };
  const double quarter_s = 1e6 / 1e8;  // of one pair, alone on the link

  // Both ways at once, twice: 2 * 2. In turns half of it goes at that pace, the rest at half of it.
  CHECK(all_reduce_s(1) - all_reduce_s(0) == Approx(2 * 2 * 0.5 * quarter_s).epsilon(1e-2));
}

TEST_CASE("the library's all-reduces among many take longer where members come one after another") {
  const auto seconds = [](const std::string& algorithm, double late_s) {
    Platform star = plain_star(3, {.bytes_per_s = 1e8, .latency_s = 5e-6});
    star.network->messages = MessageCosts{
        .regimes = {{.from_bytes = 0, .latency_s = 10e-6, .bytes_per_s = 1e8}},
        .all_reduces = {
            {.algorithm = algorithm, .bytes = 4e6, .ranks = 3, .measured_late_s = 1.2}}};
    const Observed observed = observe(star, [&](Fabric& fabric) {
      const Communicator& among =
          fabric.communicator(fabric.world().ranks, {.algorithm = algorithm, .servers = {}});
      if (fabric.rank() == 1) fabric.compute(late_s, "late");
      fabric.all_reduce({.bytes = 4e6, .values = {}}, 1, among);
    });
    return observed.last_s() - late_s;
  };
  const double together_s = seconds("openmpi", 0);

  CHECK(seconds("openmpi", 0.1) == Approx(1.2 * together_s).epsilon(kWholeBytes));
  // So little is nothing beside what who waits sleeps at a time.
  CHECK(seconds("openmpi", 1e-4) == Approx(together_s).epsilon(kWholeBytes));
  CHECK(seconds("ring", 0.1) == Approx(seconds("ring", 0)).epsilon(kWholeBytes));
}

/// Three all-reduces among two nodes, the last one after computing for so long.
double three_of_openmpi_s(double compute_s,
                          const std::vector<MessageShare>& in_a_row,
                          double times_as_long = 1,
                          double turns_from_bytes = 65536) {
  Platform star = plain_star(2, {.bytes_per_s = 1e8, .latency_s = 5e-6});
  star.network->messages =
      MessageCosts{.regimes = {{.from_bytes = 0, .latency_s = 10e-6, .bytes_per_s = 1e8}},
                   .turns_from_bytes = turns_from_bytes,
                   .turns_in_a_row = in_a_row};
  star.network->messages->all_reduces = {{.algorithm = "openmpi",
                                          .bytes = 4e6,
                                          .measured_s = times_as_long,
                                          .forecast_s = 1,
                                          .ranks = 2}};
  const Observed observed = observe(star, [&](Fabric& fabric) {
    const Communicator& among =
        fabric.communicator(fabric.world().ranks, {.algorithm = "openmpi", .servers = {}});
    for (int i = 0; i < 3; ++i) {
      if (i == 2) fabric.compute(compute_s, "batch");
      fabric.all_reduce({.bytes = 4e6, .values = {}}, 1, among);
    }
  });
  return observed.last_s() - compute_s;
}

TEST_CASE("the library's all-reduces between two take turns in a row as measured in a row") {
  const double alone_s = 2 * (10e-6 + 2e6 / 1e8);  // Rabenseifner's: a half each
  const double in_a_row_s = 1.25 * (alone_s - 2 * 10e-6) + 4 * 10e-6;

  const std::vector<MessageShare> quarter = {{.bytes = 4e6, .share = 0.25}};

  CHECK(three_of_openmpi_s(0, quarter) == Approx(alone_s + 2 * in_a_row_s).epsilon(kWholeBytes));
  // Who has computed in between, with the other, comes together with it.
  CHECK(three_of_openmpi_s(1e-3, quarter) == Approx(2 * alone_s + in_a_row_s).epsilon(kWholeBytes));
  CHECK(three_of_openmpi_s(0, {}) == Approx(3 * alone_s).epsilon(kWholeBytes));
  // All-reduces that come together took 1.5 times as long: so do those in a row that nobody
  // measured.
  CHECK(three_of_openmpi_s(0, quarter, 1.5) ==
        Approx(1.5 * alone_s + 2 * in_a_row_s).epsilon(kWholeBytes));
  CHECK(three_of_openmpi_s(0, {}, 1.5) == Approx(1.5 * 3 * alone_s).epsilon(kWholeBytes));
  // Halves of 2 MB do not take turns yet: no row of this size was measured.
  CHECK(three_of_openmpi_s(0, {{.bytes = 8e6, .share = 0.25}}, 1.5, 4e6) ==
        Approx(1.5 * 3 * alone_s).epsilon(kWholeBytes));
}

}  // namespace
}  // namespace epochcast::tests
