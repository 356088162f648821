// SPDX-License-Identifier: Apache-2.0
#include "analysis/find/find.hpp"

#include <cmath>

#include "analysis/find/found_json.hpp"
#include "analysis/forecast/scaling.hpp"
#include "base/statistics/random.hpp"
#include "strategies/settings.hpp"
#include "strategies/strategy.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

constexpr double kGradients = 100e6;  // bytes
constexpr double kBatch_s = 0.1;
constexpr int kIterations = 50;

/// A ring of one worker per node without contention or latency: a batch, then 2 (P-1)/P S/B.
RunResult ring(const JobConfig& config) {
  const int workers = config.nodes.value_or(16);
  const auto given = config.platform_figures.find("network.bandwidth");
  const double bytes_per_s = given == config.platform_figures.end()
                                 ? 1e9
                                 : figure_value(FigureKind::link_bandwidth, given->second);
  RunResult run;
  run.nodes = run.workers = workers;
  run.batch = config.batch;
  run.epochs = 1;
  run.train_samples = run.samples_per_epoch = 64000;
  const double steps = 64000.0 / static_cast<double>(workers * config.batch);
  const double exchange_s = 2.0 * (workers - 1) / workers * kGradients / bytes_per_s;
  const double batch_s = kBatch_s * static_cast<double>(config.batch) / 128;
  // Local SGD exchanges a tenth as often.
  const double often = config.strategy == "local-sgd" ? 0.1 : 1;
  run.phases.compute_s = steps * batch_s;
  run.phases.exposed_communication_s = often * steps * exchange_s;
  run.epoch_s = run.phases.total_s();
  if (!config.deterministic)
    run.epoch_s_interval = Interval{.low_s = 0.98 * run.epoch_s, .high_s = 1.03 * run.epoch_s};
  return run;
}

FindTools tools() {
  return {.forecast =
              [](const std::vector<ForecastTask>& tasks) {
                std::vector<ForecastOutcome> outcomes;
                for (const ForecastTask& task : tasks)
                  outcomes.push_back({.task = task, .run = ring(task.config), .problems = {}});
                return outcomes;
              },
          .job =
              [](const JobConfig& config) {
                static const Catalog catalog(EPOCHCAST_SOURCE_DIR);
                return load_job(config, catalog);
              }};
}

FindRequest request(const std::string& name, const std::vector<std::string>& where) {
  FindRequest request;
  request.name = name;
  for (const std::string& text : where) request.conditions.push_back(parse_condition(text));
  request.config.platform = "cloud-1xa10-10g";  // 16 nodes of one GPU
  request.config.network = "resnet20";
  request.config.dataset = "cifar10";
  request.config.batch_seconds = {{"gpu", kBatch_s}};
  request.config.strategy = "sync";
  request.config.deterministic = true;
  return request;
}

FoundValue only(const FindRequest& request) {
  const std::vector<FoundValue> answers = find(request, tools());
  REQUIRE(answers.size() == 1);
  return answers.front();
}

TEST_CASE("the bandwidth for an exposed share follows from the ring's formula") {
  const FoundValue answer = only(request("network.bandwidth", {"exposed < 11%"}));

  // x / (0.1 s + x) < 0.11 with x = 2 (15/16) 100 MB / B: B > 1.875 * 100 MB / (0.1 s * 11/89).
  const double exact = 1.875 * kGradients / (kBatch_s * 11 / 89);
  REQUIRE(answer.found);
  REQUIRE(answer.before);
  CHECK(answer.found->value > exact);
  CHECK(answer.before->value <= exact);
  CHECK(answer.found->value / answer.before->value < 1.011);  // 1 % and rounding
  CHECK(answer.is_monotone);
  CHECK_FALSE(answer.bounds);
}

TEST_CASE("an answer meets all conditions, and the value before it does not") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const bool wants_largest = random.uniform() < 0.3;
    const std::string share = std::to_string(1 + random.below(70));
    FindRequest asked =
        wants_largest
            ? request("nodes", {"efficiency > " + share + "%"})
            : request("network.bandwidth",
                      {"exposed < " + share + "%", "epoch < " + std::to_string(4 + seed) + "s"});
    asked.wants_largest = wants_largest;
    CAPTURE(seed, asked.conditions.front().text);

    const FoundValue answer = only(asked);
    const auto holds = [&](const TriedValue& tried) {
      bool all = true;
      for (std::size_t i = 0; i < answer.conditions.size(); ++i)
        all = all && answer.conditions[i]->holds(*tried.figures[i]);
      return all;
    };

    REQUIRE(answer.found.has_value() != answer.best.has_value());
    if (answer.found) CHECK(holds(*answer.found));
    if (answer.before) CHECK_FALSE(holds(*answer.before));
    if (answer.best) CHECK_FALSE(holds(*answer.best));
  }
}

TEST_CASE("bisection gives the same answer as a scan of every value") {
  const std::vector<std::string> where = {"exposed < 25%"};
  FindRequest asked = request("network.bandwidth", where);
  const FoundValue answer = only(asked);
  const SearchRange range = usual_range("network.bandwidth", {});

  REQUIRE(answer.found);
  for (std::size_t i = 0; i < range.size(); ++i) {
    JobConfig config = asked.config;
    all_settings().set(config, "network.bandwidth", range.text(i), "test");
    const RunResult run = ring(config);
    const bool holds = run.phases.exposed_communication_s / run.epoch_s < 0.25;
    CHECK(holds == (range.value(i) >= answer.found->value));
  }
}

TEST_CASE("each strategy has an answer, and a comparison concerns the strategies that it names") {
  FindRequest asked = request("network.bandwidth", {"exposed < 10%"});
  asked.config.strategy = "sync,local-sgd";
  const std::vector<FoundValue> both = find(asked, tools());
  REQUIRE(both.size() == 2);
  // A tenth of the exchange needs a tenth of the bandwidth.
  CHECK(both[0].found->value / both[1].found->value == Approx(10).epsilon(0.02));

  // An answer refers to the conditions of its own request.
  FindRequest compared = request("network.bandwidth", {"local-sgd faster than sync by 2x"});
  compared.config.strategy = "sync,local-sgd";
  compared.wants_largest = true;
  const FoundValue faster = only(compared);
  CHECK(faster.strategy == "local-sgd");
  CHECK(compared_with({faster}) == "sync without overlap");
  CHECK(compared_with(both).empty());
  // (b + x) = 2 (b + x / 10), x = b / 0.8.
  CHECK(faster.found->value == Approx(1.875 * kGradients / (kBatch_s / 0.8)).epsilon(0.011));
}

TEST_CASE("the bounds are the answers for the forecast's quantiles") {
  FindRequest asked = request("network.bandwidth", {"epoch < 4s"});
  asked.config.deterministic = false;
  const FoundValue answer = only(asked);

  REQUIRE(answer.bounds);
  const auto value = [](const std::string& text) {
    return figure_value(FigureKind::link_bandwidth, text);
  };
  // 31.25 steps of (0.1 s + x); 0.98 and 1.03 times that are to be 4 s.
  const auto exact = [](double times) {
    return 1.875 * kGradients / (4 / times / (64000.0 / 16 / 128) - kBatch_s);
  };
  CHECK(value(answer.bounds->at(0)) == Approx(exact(0.98)).epsilon(0.011));
  CHECK(answer.found->value == Approx(exact(1)).epsilon(0.011));
  CHECK(value(answer.bounds->at(1)) == Approx(exact(1.03)).epsilon(0.011));
}

TEST_CASE("an unsatisfiable condition gives the closest value") {
  const FoundValue answer = only(request("network.bandwidth", {"epoch < 1s"}));

  CHECK_FALSE(answer.found);
  REQUIRE(answer.best);
  CHECK(answer.best->text == "10Tbps");
  CHECK(*answer.best->figures[0] > 3);
}

TEST_CASE("a second setting gives an answer for each of its values") {
  FindRequest asked = request("network.bandwidth", {"exposed < 10%"});
  asked.over = "nodes";
  const std::vector<FoundValue> frontier = find(asked, tools());

  std::vector<std::string> nodes;
  for (const FoundValue& answer : frontier) nodes.push_back(answer.point.front().value);
  CHECK(nodes == std::vector<std::string>{"1", "2", "4", "8", "16"});
  for (std::size_t i = 2; i < frontier.size(); ++i)
    CHECK(frontier[i].found->value > frontier[i - 1].found->value);  // (P-1)/P rises
}

TEST_CASE("strong scaling shares the global batch of one node") {
  FindRequest asked = request("nodes", {"efficiency > 30%"});
  asked.wants_largest = true;
  asked.scales_strongly = true;
  const FoundValue strong = only(asked);
  asked.scales_strongly = false;
  const FoundValue weak = only(asked);

  REQUIRE(strong.found);
  REQUIRE(weak.found);
  CHECK(strong.found->value < weak.found->value);
  CHECK(strong.found->run->batch ==
        std::llround(128.0 / static_cast<double>(strong.found->run->workers)));
}

/// The most devices with an efficiency above 50 %, of jobs that take (1 - s) / P + s of a second on
/// P devices that train, with s a tenth: 1 / (0.9 + 0.1 P) > 0.5 for P up to 10.
std::string most_devices(const std::string& name,
                         const std::string& platform,
                         const std::string& strategy) {
  FindRequest asked = request(name, {"efficiency > 50%"});
  asked.config.platform = platform;
  asked.config.strategy = strategy;
  asked.config.nodes = 1;
  asked.wants_largest = true;
  FindTools amdahl = tools();
  amdahl.forecast = [job = amdahl.job](const std::vector<ForecastTask>& tasks) {
    std::vector<ForecastOutcome> outcomes;
    for (const ForecastTask& task : tasks) {
      const auto workers = workers_of(job(task.config), find_strategy(task.strategy));
      RunResult run;
      run.train_samples = run.samples_per_epoch = 1;
      run.workers = static_cast<int>(workers.size());
      const auto training = static_cast<int>(trainers(workers));
      run.by_device = {{.device_class = "gpu",
                        .model = "g",
                        .role = "trains",
                        .workers = training,
                        .phases = {}},
                       {.device_class = "cpu",
                        .model = "c",
                        .role = "sums",
                        .workers = run.workers - training,
                        .phases = {}}};
      run.epoch_s = 0.9 / training + 0.1;
      outcomes.push_back({.task = task, .run = run, .problems = {}});
    }
    return outcomes;
  };
  const std::vector<FoundValue> answers = find(asked, amdahl);
  REQUIRE(answers.size() == 1);
  return answers.front().found ? answers.front().found->text : answers.front().best->problems.at(0);
}

TEST_CASE(
    "on one node, efficiency is relative to one device, for any figure that sets the number") {
  CHECK(most_devices("node.devices", "cloud-4xt4-50g", "sync") == "10");
  CHECK(most_devices("device.t4.count", "cloud-4xt4-50g", "sync") == "10");
  CHECK(most_devices("device.gpu.count", "cloud-4xt4-50g", "sync") == "10");
  CHECK(most_devices("node.node.devices", "cloud-4xt4-50g", "sync") == "10");
  // Its CPUs, which would train under other strategies, aggregate.
  CHECK(most_devices("device.gpu.count", "server-2cpu-8gpu", "byteps") == "10");
}

TEST_CASE("contradictory questions are refused") {
  const auto refused = [](const FindRequest& asked) {
    return problems_of([&] { static_cast<void>(find(asked, tools())); });
  };

  CHECK(refused(request("nodes", {})) ==
        Texts{"--where: missing; expected a condition such as \"exposed < 10%\""});
  FindRequest twice = request("nodes", {"epoch < 1s"});
  twice.over = "nodes";
  CHECK(refused(twice) == Texts{"find nodes,nodes: expected two different names"});
  CHECK(refused(request("local-steps", {"epoch < 1s"})) ==
        Texts{"find local-steps: none of sync has such a setting"});
  CHECK(
      refused(request("nodes", {"dlb faster than sync"})) ==
      Texts{"--where \"dlb faster than sync\": dlb is none of the strategies of --strategy sync"});
  FindRequest elsewhere = request("nodes", {"epoch < 1s"});
  elsewhere.between = {parse_range("batch=1..4")};
  CHECK(refused(elsewhere) == Texts{"--between batch: is not looked for"});
}

TEST_CASE("settings without numbers are not searched") {
  const auto refused = [](const std::string& name) {
    return problems_of([&] { static_cast<void>(searched_kind(name)); });
  };
  const std::string expected =
      "; expected a setting such as nodes, batch or local-steps, or a figure of the platform such "
      "as network.bandwidth";

  CHECK(refused("platform") == Texts{"find platform: takes no number" + expected});
  CHECK(refused("seed") ==
        Texts{"find seed: selects random draws, not the subject of forecasts" + expected});
  CHECK(searched_kind("nodes") == FigureKind::count);
  CHECK(searched_kind("local-steps") == FigureKind::count);
  CHECK(searched_kind("bucket") == FigureKind::memory);
  CHECK(searched_kind("node.latency") == FigureKind::link_latency);
}

TEST_CASE("a range's texts ascend, are parsed as its values, and include its ends") {
  for (const char* text : {"network.bandwidth=100Mbps..10Tbps",
                           "network.latency=0.1us..100ms",
                           "device.gpu.speed=0.01..100",
                           "device.gpu.memory=1GB..1TB",
                           "bucket=64kB..4GB",
                           "nodes=3..74"}) {
    const SearchRange range = parse_range(text);
    CAPTURE(text);
    for (std::size_t i = 1; i < range.size(); ++i) {
      CHECK(range.value(i) > range.value(i - 1));
      if (range.kind() != FigureKind::count) CHECK(range.value(i) / range.value(i - 1) < 1.012);
    }
    const std::string ends =
        range.name() + "=" + range.text(0) + ".." + range.text(range.size() - 1);
    CHECK(parse_range(ends).size() == range.size());
  }
}

TEST_CASE("an invalid range is refused") {
  const auto refused = [](const std::string& text) {
    return problems_of([&] { static_cast<void>(parse_range(text)); });
  };

  CHECK(refused("1..4") == Texts{"--between: got \"1..4\"; expected a name and its least and "
                                 "largest value, such as nodes=2..16"});
  CHECK(refused("nodes=4..2") ==
        Texts{"--between nodes: expected the lesser value first, above 0"});
  CHECK(refused("nodes=1..x") ==
        Texts{"--between nodes: got \"x\"; expected a whole number of at least 1"});
}

}  // namespace
}  // namespace epochcast::tests
