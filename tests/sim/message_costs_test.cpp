// SPDX-License-Identifier: Apache-2.0
// Effects of measured message costs on forecasts.
#include "core/costs/message_costs.hpp"

#include <cmath>
#include <stdexcept>

#include "sim/exchange/collective_times.hpp"
#include "tests/catch.hpp"
#include "tests/sim/clusters.hpp"
#include "tests/sim/in_process.hpp"
#include "tests/sim/jobs.hpp"

namespace epochcast::tests {
namespace {

constexpr double kTolerance = 1e-6;  // SimGrid sends whole bytes

// Links of 100 MB/s; small messages take 20 us and at most 50 MB/s, large ones 1 ms and 80 MB/s.
Platform measured_star(int ranks) {
  Platform platform = plain_star(ranks, {.bytes_per_s = 1e8, .latency_s = 5e-6});
  platform.network->messages =
      MessageCosts{.regimes = {{.from_bytes = 0, .latency_s = 20e-6, .bytes_per_s = 5e7},
                               {.from_bytes = 1e6, .latency_s = 1e-3, .bytes_per_s = 8e7}}};
  return platform;
}

/// Rank 0 sends `bytes` to every other rank at once; the time of the last receipt.
double send_to_all_s(const Platform& platform, double bytes) {
  const Observed observed = observe(platform, [bytes](Fabric& fabric) {
    if (fabric.rank() > 0) {
      fabric.wait(fabric.start_receive(0, payload_of_bytes(bytes)));
      return;
    }
    std::vector<Request> requests;
    for (int to = 1; to < fabric.world().size(); ++to)
      requests.push_back(fabric.start_send(to, payload_of_bytes(bytes)));
    for (const Request& request : requests) fabric.wait(request);
  });
  return observed.last_s();
}

TEST_CASE("a message alone takes the latency and the bandwidth of its size's regime") {
  const Platform star = measured_star(2);

  CHECK(send_to_all_s(star, 1000) == Approx(20e-6 + 1000 / 5e7).epsilon(kTolerance));
  CHECK(send_to_all_s(star, 999'999) == Approx(20e-6 + 999'999 / 5e7).epsilon(kTolerance));
  CHECK(send_to_all_s(star, 1e6) == Approx(1e-3 + 1e6 / 8e7).epsilon(kTolerance));
}

TEST_CASE("a message does not overtake one that was sent before, however short its latency") {
  const Observed observed = observe(measured_star(2), [](Fabric& fabric) {
    std::vector<float> large = {1}, small = {2};
    const bool sends = fabric.rank() == 0;
    const auto start = [&](std::vector<float>& values, double bytes) {
      Payload payload = payload_of(std::span(values));
      payload.charged_bytes = bytes;
      return sends ? fabric.start_send(1, payload) : fabric.start_receive(0, payload);
    };
    if (!sends) large = small = {0};
    const Request first = start(large, 1e6);
    const Request second = start(small, 1e3);
    fabric.wait(second);
    fabric.wait(first);
    if (large.front() != 1 || small.front() != 2) throw std::logic_error("in another order");
  });

  // While the small one passes, each has half of the link.
  const double small_s = 1e3 / 5e7;
  CHECK(observed.last_s() ==
        Approx(1e-3 + small_s + (1e6 - small_s * 5e7) / 8e7).epsilon(kTolerance));
}

TEST_CASE("messages below their link's bandwidth share it without slowdown") {
  CHECK(send_to_all_s(measured_star(3), 1000) == Approx(20e-6 + 1000 / 5e7).epsilon(kTolerance));
}

TEST_CASE("messages that together exceed their link share it") {
  CHECK(send_to_all_s(measured_star(3), 1e6) == Approx(1e-3 + 2e6 / 1e8).epsilon(kTolerance));
}

TEST_CASE("a ring all-reduce takes 2(P-1) messages of its blocks' regime") {
  const Platform star = measured_star(4);
  const auto seconds = in_process([&] {
    return nlohmann::json(sim::all_reduce_times(
        star, {{"all", "ring", 4e6}, {"all", "ring", 4e3}, {"all", "ring", 3.9e6}}));
  });

  CHECK(seconds[0].get<double>() == Approx(6 * (1e-3 + 1e6 / 8e7)).epsilon(kTolerance));
  CHECK(seconds[1].get<double>() == Approx(6 * (20e-6 + 1e3 / 5e7)).epsilon(kTolerance));
  CHECK(seconds[2].get<double>() == Approx(6 * (20e-6 + 0.975e6 / 5e7)).epsilon(kTolerance));
}

TEST_CASE("a message takes as long between two alone, or one way, as around a ring") {
  const auto seconds_among = [](int nodes, const std::string& algorithm) {
    const auto seconds = in_process([&] {
      return nlohmann::json(sim::all_reduce_times(measured_star(nodes), {{"all", algorithm, 4e6}}));
    });
    return seconds[0].get<double>();
  };

  CHECK(seconds_among(4, "recursive-doubling") ==
        Approx(2 * (1e-3 + 4e6 / 8e7)).epsilon(kTolerance));
  CHECK(seconds_among(2, "binary-tree") == Approx(2 * (1e-3 + 4e6 / 8e7)).epsilon(kTolerance));
}

TEST_CASE("all-reduces measured among as many ranks take the measured time") {
  const auto seconds_of = [](int measured_ranks) {
    Platform star = measured_star(3);
    for (DeviceGroup& device : star.nodes.front().devices) device.reduce_bytes_per_s = 1e9;
    const std::vector<sim::AllReduceCase> cases = {{"all", "ring", 4e6},
                                                   {"all", "binary-tree", 4e6}};
    const auto forecast_s =
        in_process([&] { return nlohmann::json(sim::all_reduce_times(star, cases)); });
    star.network->messages->all_reduces = {{.algorithm = "ring",
                                            .bytes = 4e6,
                                            .measured_s = 1.3 * forecast_s[0].get<double>(),
                                            .forecast_s = forecast_s[0].get<double>(),
                                            .ranks = measured_ranks}};
    const auto measured_s =
        in_process([&] { return nlohmann::json(sim::all_reduce_times(star, cases)); });
    return std::vector<double>{measured_s[0].get<double>() / forecast_s[0].get<double>(),
                               measured_s[1].get<double>() / forecast_s[1].get<double>()};
  };

  CHECK(seconds_of(3)[0] == Approx(1.3).epsilon(kTolerance));
  CHECK(seconds_of(3)[1] == Approx(1).epsilon(kTolerance));
  CHECK(seconds_of(4)[0] == Approx(1).epsilon(kTolerance));
}

// The first `fast` of these nodes have links of 400 MB/s, and messages as fast as these.
Platform two_speed_star(int ranks, int fast) {
  Platform star = measured_star(ranks);
  NodeGroup group = star.nodes.front();
  group.count = fast;
  group.uplink = Uplink{
      .link = {.bytes_per_s = 4e8, .latency_s = 5e-6},
      .messages =
          MessageCosts{.regimes = {{.from_bytes = 0, .latency_s = 10e-6, .bytes_per_s = 4e8}}},
      .source = {}};
  star.nodes.front().count = ranks - fast;
  star.nodes.insert(star.nodes.begin(), group);
  return star;
}

// Of a message from a fast node to a slow one.
constexpr double kMixedLatency_s = (10e-6 + 1e-3) / 2;

TEST_CASE("of nodes with links of their own each adds half of a message's latency") {
  CHECK(send_to_all_s(two_speed_star(2, 2), 1e6) == Approx(10e-6 + 1e6 / 4e8).epsilon(kTolerance));
  CHECK(send_to_all_s(two_speed_star(2, 1), 1e6) ==
        Approx(kMixedLatency_s + 1e6 / 8e7).epsilon(kTolerance));
  CHECK(send_to_all_s(two_speed_star(2, 0), 1e6) == Approx(1e-3 + 1e6 / 8e7).epsilon(kTolerance));
}

TEST_CASE("a node with a fast link feeds several with slow links at once") {
  CHECK(send_to_all_s(two_speed_star(5, 1), 1e6) ==
        Approx(kMixedLatency_s + 1e6 / 8e7).epsilon(kTolerance));
  // Six times 80 MB/s exceeds its link.
  CHECK(send_to_all_s(two_speed_star(7, 1), 1e6) ==
        Approx(kMixedLatency_s + 6e6 / 4e8).epsilon(kTolerance));
}

/// Four nodes of one GPU each with this uncertainty of messages, with costs that spread or not.
RunResult forecast_with(double uncertainty, double spread = 0) {
  Platform cluster = mixed(4, 1, 0, shared_memory(), star());
  cluster.network->messages = measured_star(2).network->messages;
  cluster.network->messages->uncertainty = uncertainty;
  cluster.network->messages->notes = {"measured in a hurry"};
  Job job = job_on(cluster, 2560, spread);
  job.config.deterministic = false;
  return forecasts({{job, "sync"}}).front();
}

TEST_CASE("the uncertainty of messages widens the interval by a factor on the exchanges") {
  const double uncertainty = GENERATE(0.02, 0.99);
  const RunResult run = forecast_with(uncertainty);

  REQUIRE(run.epoch_s_interval);
  const double factor = std::exp(1.6449 * uncertainty);
  const double exchange_s = run.phases.exposed_communication_s;
  CHECK(run.epoch_s_interval->low_s ==
        Approx(run.epoch_s - exchange_s + exchange_s / factor).epsilon(1e-9));
  CHECK(run.epoch_s_interval->high_s ==
        Approx(run.epoch_s - exchange_s + exchange_s * factor).epsilon(1e-9));
  CHECK(run.notes == std::vector<std::string>{"measured in a hurry"});
}

TEST_CASE("the measured deviation of all-reduces of the gradients' size widens the interval") {
  Platform cluster = mixed(4, 1, 0, shared_memory(), star());
  cluster.network->messages = measured_star(2).network->messages;
  Job job = job_on(cluster, 2560, 0);
  job.config.deterministic = false;
  const double bytes = job.network.gradient_bytes();
  cluster.network->messages->all_reduces = {
      {.algorithm = "ring", .bytes = 2 * bytes, .measured_s = 1, .forecast_s = 1.1},
      {.algorithm = "ring", .bytes = 20 * bytes, .measured_s = 1, .forecast_s = 3}};
  job.platform = cluster;

  const RunResult run = forecasts({{job, "sync"}}).front();

  REQUIRE(run.epoch_s_interval);
  const double exchange_s = run.phases.exposed_communication_s;
  CHECK(run.epoch_s_interval->high_s ==
        Approx(run.epoch_s + exchange_s * std::expm1(1.6449 * std::log(1.1))).epsilon(1e-9));
}

TEST_CASE("no interval begins below the least computing and exchange time") {
  const RunResult run = forecast_with(0.99, 0.9);

  REQUIRE(run.epoch_s_interval);
  // 80 batches of 8 an epoch, of which each worker takes a quarter; 13 ms at their median.
  const double computed_s = 80.0 * 13e-3 * (1 - 0.9);
  CHECK(run.epoch_s_interval->low_s > computed_s);
  CHECK(run.epoch_s_interval->low_s < run.epoch_s);
  CHECK(run.epoch_s_interval->high_s > run.epoch_s);
}

TEST_CASE("inside a node its own message costs count") {
  Platform server = mixed(2, 0, 2, shared_memory(), star());
  server.network->messages = measured_star(2).network->messages;
  server.nodes[0].interconnect->messages =
      MessageCosts{.regimes = {{.from_bytes = 0, .latency_s = 3e-6, .bytes_per_s = 1e9}}};
  for (DeviceGroup& device : server.nodes[0].devices) device.reduce_bytes_per_s = 0;
  const auto seconds = in_process([&] {
    return nlohmann::json(sim::all_reduce_times(
        server, {{"node", "recursive-doubling", 1e4}, {"all", "hierarchical", 1e4}}));
  });

  CHECK(seconds[0].get<double>() == Approx(3e-6 + 1e4 / 1e9).epsilon(kTolerance));
  CHECK(seconds[1].get<double>() > 20e-6 + 0.5e4 / 5e7);  // halves cross the network
}

}  // namespace
}  // namespace epochcast::tests
