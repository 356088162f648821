// SPDX-License-Identifier: Apache-2.0
// All-reduces on random stars, against a fluid network made from the platform's description.
#include <cmath>
#include <map>

#include "collectives/registry.hpp"
#include "core/job/placement.hpp"
#include "tests/catch.hpp"
#include "tests/collectives/fluid_time.hpp"
#include "tests/robustness/campaign.hpp"
#include "tests/robustness/described_routes.hpp"
#include "tests/robustness/random_platform.hpp"
#include "tests/sim/clusters.hpp"

namespace epochcast::tests {
namespace {

/// The platform's links, shared by simultaneous transfers.
FluidNetwork fluid_network(const Platform& platform, const std::vector<WorkerInfo>& workers) {
  std::map<std::string, std::size_t> index;
  std::vector<double> links;
  std::vector<double> gammas;
  for (const WorkerInfo& from : workers) {
    gammas.push_back(from.reduce_s_per_byte);
    for (const WorkerInfo& to : workers) {
      if (&from == &to) continue;
      for (const RouteLink& link : described_route(platform, from, to)) {
        if (index.try_emplace(link.name, links.size()).second) links.push_back(link.bytes_per_s);
      }
    }
  }
  const auto route = [&platform, &workers, index](int from, int to, double bytes) {
    const WorkerInfo& sender = workers[static_cast<std::size_t>(from)];
    const WorkerInfo& receiver = workers[static_cast<std::size_t>(to)];
    const RouteCost cost = described_cost(platform, sender, receiver, bytes);
    FluidRoute fluid = {
        .alpha_s = cost.latency_s, .links = {}, .most_bytes_per_s = cost.bytes_per_s};
    for (const RouteLink& link : described_route(platform, sender, receiver))
      fluid.links.push_back(index.at(link.name));
    return fluid;
  };
  return {std::move(links), route, std::move(gammas)};
}

TEST_CASE("an all-reduce takes its messages' time on fairly shared links, for any order of nodes") {
  const Campaign campaign(45);
  for (std::uint64_t seed = campaign.first_seed(); seed < campaign.end_seed(); ++seed) {
    Dice dice(seed);
    const Platform platform = random_platform(dice, {.topologies = {NetworkTopology::star}});
    const auto& algorithms = all_reduce_names();
    const std::string name(algorithms[seed % algorithms.size()].name);
    const std::int64_t bytes = 1'000'000 * dice.between(1, 30);
    const std::vector<WorkerInfo> workers =
        place(platform, JobConfig{}, {}, kAllTrain, [](const WorkerInfo&) { return 1.0; });
    if (workers.size() < 2) continue;
    CAPTURE(seed, name, workers.size(), bytes);
    GroupShape shape;
    for (const WorkerInfo& worker : workers) shape.node_of_rank.push_back(worker.node);
    const auto schedule = make_all_reduce(name, shape, bytes);

    const double time_s = all_reduce_s(platform, name, static_cast<double>(bytes));

    const double expected_s =
        fluid_network(platform, workers).time_s(*schedule, static_cast<double>(bytes));
    // SimGrid sends whole bytes, and segments are short.
    CHECK(time_s == Approx(expected_s).epsilon(1e-5));
  }
}

}  // namespace
}  // namespace epochcast::tests
