// SPDX-License-Identifier: Apache-2.0
// All-reduces on random stars, against a fluid network made from the platform's description.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "collectives/registry.hpp"
#include "core/formats/node_links.hpp"
#include "core/job/placement.hpp"
#include "tests/catch.hpp"
#include "tests/collectives/fluid_time.hpp"
#include "tests/robustness/campaign.hpp"
#include "tests/robustness/described_routes.hpp"
#include "tests/robustness/random_platform.hpp"
#include "tests/sim/clusters.hpp"

namespace epochcast::tests {
namespace {

/// The platform's links, shared by simultaneous transfers. With a `transport`, messages have no
/// latency, and adding is free.
FluidNetwork fluid_network(const Platform& platform,
                           const std::vector<WorkerInfo>& workers,
                           const std::optional<MessageTransport>& transport) {
  std::map<std::string, std::size_t> index;
  std::vector<double> links;
  std::vector<double> gammas;
  for (const WorkerInfo& from : workers) {
    gammas.push_back(transport ? 0 : from.reduce_s_per_byte);
    for (const WorkerInfo& to : workers) {
      if (&from == &to) continue;
      for (const RouteLink& link : described_route(platform, from, to)) {
        if (index.try_emplace(link.name, links.size()).second) links.push_back(link.bytes_per_s);
      }
    }
  }
  const auto route = [&platform, &workers, transport, index](int from, int to, double bytes) {
    const WorkerInfo& sender = workers[static_cast<std::size_t>(from)];
    const WorkerInfo& receiver = workers[static_cast<std::size_t>(to)];
    const double factor = transport ? transport->bytes_per_payload_byte : 1;
    RouteCost cost = described_cost(platform, sender, receiver, bytes / factor);
    if (transport) {
      cost.latency_s = 0;
      cost.bytes_per_s = std::min(cost.bytes_per_s, factor * transport->most_bytes_per_s);
    }
    FluidRoute fluid = {
        .alpha_s = cost.latency_s, .links = {}, .most_bytes_per_s = cost.bytes_per_s};
    for (const RouteLink& link : described_route(platform, sender, receiver))
      fluid.links.push_back(index.at(link.name));
    return fluid;
  };
  return {std::move(links), route, std::move(gammas)};
}

/// Latencies before the first message of a transport.
double ahead_s(const Platform& platform,
               const std::vector<WorkerInfo>& workers,
               const MessageTransport& transport,
               double unit_bytes) {
  double in_node_s = -1;
  double between_s = -1;
  for (std::size_t i = 1; i < workers.size(); ++i) {
    const WorkerInfo& from = workers[i - 1];
    const double route_s = described_cost(platform, from, workers[i], unit_bytes).latency_s;
    if (from.node != workers[i].node) {
      if (between_s < 0) between_s = std::max(route_s, transport.hop_between_nodes_s);
    } else if (in_node_s < 0) {
      const bool is_measured = are_measured_inside(platform, from.node);
      in_node_s =
          is_measured ? std::max(route_s, transport.hop_in_node_s) : transport.hop_in_node_s;
    }
  }
  return transport.start_s +
         static_cast<double>(transport.hops_in_node) * std::max(0.0, in_node_s) +
         static_cast<double>(transport.hops_between_nodes) * std::max(0.0, between_s);
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
    GroupShape shape = {.node_of_rank = {}, .links = node_links(platform)};
    for (const WorkerInfo& worker : workers) shape.node_of_rank.push_back(worker.node);
    const auto schedule = make_all_reduce(name, shape, bytes);

    const double time_s = all_reduce_s(platform, name, static_cast<double>(bytes));

    const std::optional<MessageTransport> transport = schedule->transport();
    const double on_links = transport ? transport->bytes_per_payload_byte : 1;
    double expected_s = fluid_network(platform, workers, transport)
                            .time_s(*schedule, on_links * static_cast<double>(bytes));
    if (transport) {
      const auto units = static_cast<double>(schedule->divisions());
      expected_s += ahead_s(platform, workers, *transport, static_cast<double>(bytes) / units);
    }
    // SimGrid sends whole bytes, and segments are short.
    CHECK(time_s == Approx(expected_s).epsilon(1e-5));
  }
}

}  // namespace
}  // namespace epochcast::tests
