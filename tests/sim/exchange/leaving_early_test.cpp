// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.hpp"
#include "tests/sim/clusters.hpp"

namespace epochcast::tests {
namespace {

constexpr double kTolerance = 1e-6;  // SimGrid sends whole bytes

TEST_CASE("members that leave an all-reduce early are blocked until the others are through") {
  const auto phases_with = [](double member_share, bool overlaps) {
    Platform star = plain_star(4, {.bytes_per_s = 1e8, .latency_s = 5e-6});
    star.network->messages = MessageCosts{
        .regimes = {{.from_bytes = 0, .latency_s = 1e-3, .bytes_per_s = 8e7}},
        .all_reduces = {
            {.algorithm = "ring", .bytes = 4e6, .ranks = 4, .member_share = member_share}}};
    const Observed observed = observe(star, [overlaps](Fabric& fabric) {
      const Communicator& among =
          fabric.communicator(fabric.world().ranks, {.algorithm = "ring", .servers = {}});
      for (int i = 0; i < 3; ++i) {  // simulated first, then replayed
        const Request request = fabric.start_all_reduce({.bytes = 4e6, .values = {}}, 1, among);
        if (overlaps) fabric.compute(10e-3, "backward");
        fabric.wait(request);
      }
    });
    return observed.phases.front();
  };
  const double all_reduce_s = 6 * (1e-3 + 1e6 / 8e7);

  const PhaseTimes whole = phases_with(1, false);
  CHECK(whole.exposed_communication_s == Approx(3 * all_reduce_s).epsilon(kTolerance));
  CHECK(whole.blocked_s == Approx(0).margin(1e-9));
  const PhaseTimes early = phases_with(0.9, false);
  CHECK(early.exposed_communication_s == Approx(2.7 * all_reduce_s).epsilon(kTolerance));
  CHECK(early.blocked_s == Approx(0.3 * all_reduce_s).epsilon(kTolerance));
  const PhaseTimes hidden = phases_with(0.9, true);
  CHECK(hidden.exposed_communication_s == Approx(2.7 * all_reduce_s - 30e-3).epsilon(kTolerance));
  CHECK(hidden.blocked_s == Approx(0.3 * all_reduce_s).epsilon(kTolerance));
}

}  // namespace
}  // namespace epochcast::tests
