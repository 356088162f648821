// SPDX-License-Identifier: Apache-2.0
// Messages between all devices of random platforms, compared with the platform's description.
#include <cmath>

#include "core/job/placement.hpp"
#include "tests/catch.hpp"
#include "tests/robustness/campaign.hpp"
#include "tests/robustness/described_routes.hpp"
#include "tests/robustness/random_platform.hpp"
#include "tests/sim/clusters.hpp"

namespace epochcast::tests {
namespace {

/// Seconds of one message from `from` to each other worker, one after the other.
std::vector<double> message_times(const Platform& platform, int from, double bytes) {
  const Observed observed = observe_exactly(platform, [&](Fabric& fabric) {
    const Payload payload = payload_of_bytes(bytes);
    for (int to = 0; to < fabric.world().size(); ++to) {
      fabric.barrier(fabric.world());  // its time counts as blocked
      if (to == from) continue;
      if (fabric.rank() == from) fabric.wait(fabric.start_send(to, payload));
      if (fabric.rank() == to) fabric.wait(fabric.start_receive(from, payload));
    }
  });
  std::vector<double> seconds;
  for (const PhaseTimes& phases : observed.phases)
    seconds.push_back(phases.exposed_communication_s);
  return seconds;
}

/// SimGrid 3.32 continues in a group's first chassis after a change of routers there
/// (DragonflyZone::get_local_route): one cable between chassis too few, or too many.
double astray_s(const Platform& platform) {
  const bool is_astray = platform.network && platform.network->chassis > 1;
  return is_astray ? (1 + 1e-6) * platform.network->link.latency_s : 0;
}

TEST_CASE("a message takes the latencies of its route and its bytes over the narrowest link") {
  const Campaign campaign(30);
  for (std::uint64_t seed = campaign.first_seed(); seed < campaign.end_seed(); ++seed) {
    Dice dice(seed);
    const Platform platform = random_platform(dice);
    const double bytes = std::round(dice.magnitude(1, 1e8));
    const std::vector<WorkerInfo> workers =
        place(platform, JobConfig{}, {}, kAllTrain, [](const WorkerInfo&) { return 1.0; });
    for (std::size_t from = 0; from < workers.size(); ++from) {
      const std::vector<double> seconds = message_times(platform, static_cast<int>(from), bytes);
      for (std::size_t to = 0; to < workers.size(); ++to) {
        if (to == from) continue;
        CAPTURE(seed, bytes, from, to, workers[from].node, workers[to].node);
        const RouteCost cost = described_cost(platform, workers[from], workers[to], bytes);
        const double expected_s = cost.latency_s + bytes / cost.bytes_per_s;
        CHECK(seconds[to] == Approx(expected_s).epsilon(1e-9).margin(astray_s(platform)));
        const RouteCost back = described_cost(platform, workers[to], workers[from], bytes);
        CHECK(back.latency_s == Approx(cost.latency_s).epsilon(1e-12));
        CHECK(back.bytes_per_s == cost.bytes_per_s);
      }
    }
  }
}

}  // namespace
}  // namespace epochcast::tests
