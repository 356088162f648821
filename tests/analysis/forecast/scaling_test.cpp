// SPDX-License-Identifier: Apache-2.0
#include "analysis/forecast/scaling.hpp"

#include "analysis/forecast/sweep.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

std::vector<ForecastTask> tasks_of(const std::vector<std::string>& axes) {
  JobConfig config;
  config.platform = "cloud-4xt4-50g";  // nodes of four
  config.network = "resnet20";
  config.dataset = "cifar10";
  config.batch_seconds = {{"gpu", 0.1}};
  config.strategy = "sync";
  std::vector<SweepAxis> parsed;
  for (const std::string& axis : axes) parsed.push_back(parse_axis(axis));
  return expand(config, parsed);
}

std::vector<ForecastTask> strong(const std::vector<std::string>& axes) {
  static const Catalog catalog(EPOCHCAST_SOURCE_DIR);
  SharedJobs jobs([](const JobConfig& config) { return load_job(config, catalog); });
  return scaled(tasks_of(axes), Scaling::strong, jobs);
}

/// Outcomes of a job whose epoch on P workers takes (1 - s) / P + s: Amdahl, AFIPS 1967.
std::vector<ForecastOutcome> amdahl(double serial, const std::vector<int>& workers) {
  std::vector<ForecastOutcome> outcomes;
  for (const int count : workers) {
    RunResult run;
    run.strategy = "sync";
    run.workers = count;
    run.train_samples = run.samples_per_epoch = 1;
    run.epoch_s = (1 - serial) / count + serial;
    outcomes.push_back(
        {.task = {.config = {}, .strategy = "sync", .point = {{"nodes", std::to_string(count)}}},
         .run = run,
         .problems = {}});
  }
  add_speed_ups(outcomes, Scaling::weak);
  return outcomes;
}

TEST_CASE("strong scaling shares the global batch of the point with the fewest workers") {
  std::vector<std::int64_t> batches;
  for (const ForecastTask& task : strong({"nodes=4,2,8", "batch=64,128"}))
    batches.push_back(task.config.batch);

  // Of two nodes: 8 workers. 4 nodes have half of it each, 8 nodes a quarter.
  CHECK(batches == std::vector<std::int64_t>{32, 64, 64, 128, 16, 32});
}

TEST_CASE("more workers than samples is an error of the point, not of the sweep") {
  const std::vector<ForecastTask> tasks = strong({"nodes=1,16", "batch=8"});

  CHECK(tasks[0].problems.empty());
  CHECK(tasks[1].problems ==
        Texts{"a global batch of 32 leaves some of 64 workers without a sample"});
}

TEST_CASE("a batch that is not an integer is rounded") {
  CHECK(strongly_scaled({}, 100, 8).batch == 13);  // 12.5
  CHECK(strongly_scaled({}, 100, 3).batch == 33);
}

TEST_CASE("speed-up and efficiency are those of Amdahl's law") {
  const std::vector<ForecastOutcome> outcomes = amdahl(0.1, {8, 1, 4});

  CHECK(outcomes[1].run->scaling->speed_up == 1);
  CHECK(outcomes[1].run->scaling->efficiency == 1);
  CHECK(outcomes[2].run->scaling->speed_up == Approx(1 / (0.9 / 4 + 0.1)));
  CHECK(outcomes[0].run->scaling->efficiency == Approx(1 / (0.9 / 8 + 0.1) / 8));
}

TEST_CASE("workers that only aggregate do not count in the efficiency") {
  std::vector<ForecastOutcome> outcomes = amdahl(0.1, {1, 2});
  for (ForecastOutcome& outcome : outcomes) {
    RunResult& run = *outcome.run;
    run.by_device = {
        {.device_class = "gpu",
         .model = "g",
         .role = "trains",
         .workers = run.workers,
         .phases = {}},
        {.device_class = "cpu", .model = "c", .role = "sums", .workers = 2, .phases = {}}};
    run.workers += 2;
  }
  add_speed_ups(outcomes, Scaling::weak);

  CHECK(outcomes[1].run->scaling->efficiency == Approx(1 / (0.9 / 2 + 0.1) / 2));
}

TEST_CASE("the knee of Amdahl's law is the point of equal parallel and serial times") {
  // E / T is highest at P = (1 - s) / s (Eager, Zahorjan, Lazowska 1989, for this law).
  const std::vector<ForecastOutcome> outcomes = amdahl(0.1, {1, 2, 4, 6, 9, 12, 16, 32});
  for (const ForecastOutcome& outcome : outcomes)
    CHECK(outcome.run->scaling->is_knee == (outcome.run->workers == 9));
  // Of a sweep that ends before it, the last point is no knee.
  for (const ForecastOutcome& outcome : amdahl(0.01, {1, 2, 4}))
    CHECK_FALSE(outcome.run->scaling->is_knee);
}

TEST_CASE("scaling requires a sweep that changes the workers") {
  static const Catalog catalog(EPOCHCAST_SOURCE_DIR);
  SharedJobs jobs([](const JobConfig& config) { return load_job(config, catalog); });

  CHECK(problems_of([&] {
          static_cast<void>(scaled(tasks_of({"batch=8,16"}), Scaling::weak, jobs));
        }) == Texts{"--scaling: compares numbers of workers; expected --sweep of nodes, of a count "
                    "such as node.devices, or of ranks-per-device"});
  CHECK(problems_of([] { static_cast<void>(parse_scaling("stron")); }) ==
        Texts{"--scaling: got \"stron\"; expected one of weak, strong"});
}

}  // namespace
}  // namespace epochcast::tests
