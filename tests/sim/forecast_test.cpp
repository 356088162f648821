// SPDX-License-Identifier: Apache-2.0
#include "sim/forecast.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "core/job/job.hpp"
#include "strategies/strategy.hpp"
#include "tests/catch.hpp"
#include "tests/sim/in_process.hpp"
#include "tests/sim/jobs.hpp"
#include "tests/support/set.hpp"

namespace epochcast::tests {
namespace {

Platform cluster() { return mixed(3, 2, 1, pcie(), star()); }

/// 8 iterations of 9 workers with batch 8.
constexpr std::int64_t kSamples = 8 * 9 * 8;

TEST_CASE("phases add up to the epoch, for the job and for every device", "[exhaustive]") {
  std::vector<Run> runs;
  for (const Strategy& strategy : strategies()) {
    for (const double spread : {0.0, 0.1}) {
      Job job = job_on(cluster(), kSamples, spread);
      set(job.config, "local-steps", 1);
      runs.push_back({job, std::string(strategy.name)});
      job.config.overlap = Overlap::bucket;
      if (refuses_overlap(job, std::string(strategy.name))) continue;
      runs.push_back({job, std::string(strategy.name)});
    }
  }

  const std::vector<RunResult> results = forecasts(runs);

  for (std::size_t i = 0; i < runs.size(); ++i) {
    CAPTURE(runs[i].strategy, runs[i].job.config.overlap, runs[i].job.config.deterministic);
    // Sums of some hundred differences of clocks: rounding only.
    CHECK(results[i].phases.total_s() == Approx(results[i].epoch_s).epsilon(1e-9));
    for (const DeviceResult& device : results[i].by_device) {
      CAPTURE(device.model);
      CHECK(device.phases.total_s() == Approx(results[i].epoch_s).epsilon(1e-9));
      CHECK(device.phases.compute_s >= 0);
      CHECK(device.phases.exposed_communication_s >= 0);
      CHECK(device.phases.blocked_s >= -1e-9 * results[i].epoch_s);
    }
  }
}

TEST_CASE("a note states that a network scores other classes than the data set has") {
  Job job = job_on(cluster(), kSamples);
  job.network.name = "mine";
  job.dataset.name = "photos";
  job.dataset.classes = 1000;
  const auto notes = [&] { return forecast_of(job, "sync").notes; };

  CHECK(notes().empty());
  job.network.fixed_classes = 1000;
  CHECK(notes().empty());
  job.network.fixed_classes = 10;
  CHECK(notes() ==
        std::vector<std::string>{"mine scores 10 classes, and photos has 1000: `train` refuses "
                                 "that until its last layer is replaced"});
  job.network.fixed_classes = 2000;
  CHECK(notes() ==
        std::vector<std::string>{"mine scores 2000 classes, and photos has 1000: no sample has one "
                                 "of the other classes"});
}

TEST_CASE("an epoch of sync on equal workers is K times batch plus all-reduce") {
  const TestLink link = {.bytes_per_s = 1e9, .latency_s = 1e-5};
  const Job job = job_on(plain_star(4, link), 4 * 8 * 7);

  const RunResult result = forecast_of(job, "sync");

  const double batch_s = 5e-3 + 8 * 1e-3;                         // the trace of gpu-a
  const double ring_s = 6 * 2 * 1e-5 + 2 * 3.0 / 4 * 40e6 / 1e9;  // 2(P-1)α + 2((P-1)/P)Sβ
  CHECK(result.iterations_per_epoch == 7);
  CHECK(result.epoch_s == Approx(7 * (batch_s + ring_s)).epsilon(1e-9));
  CHECK(result.phases.compute_s == Approx(7 * batch_s).epsilon(1e-9));
  CHECK(result.phases.exposed_communication_s == Approx(7 * ring_s).epsilon(1e-9));
  CHECK(result.inter_node_bytes == Approx(7 * 4 * 1.5 * 40e6).epsilon(1e-9));
  // Before training: parameters and buffers (40,004,000 B) go down a binomial tree of two levels.
  CHECK(result.startup_s == Approx(2 * (2e-5 + 40'004'000 / 1e9)).epsilon(1e-9));
}

TEST_CASE("the slowest measured rank decides an epoch of sync, and the others wait") {
  Job job = with_workers(job_on(plain_star(4, {}), 4 * 8 * 7), 2, 1);
  job.config.exchange_seconds = {{"all", 0.02}};

  const RunResult result = forecast_of(job, "sync");

  const double batch_s = 5e-3 + 8 * 1e-3;  // rank 0, workers 0 and 2; workers 1 and 3: 20 % more
  CHECK(result.epoch_s == Approx(7 * (1.2 * batch_s + 0.02)).epsilon(1e-9));
  CHECK(result.phases.compute_s == Approx(7 * 1.1 * batch_s).epsilon(1e-9));
  CHECK(result.phases.blocked_s == Approx(7 * 0.1 * batch_s).epsilon(1e-9));
}

TEST_CASE("workers take the ranks of their own device model in turn") {
  // A worker of each model on two nodes: rank 0 on the first, rank 1 on the second.
  Job job = with_workers(job_on(mixed(2, 1, 1, pcie(), star()), 4 * 8 * 7), 2, 1);
  job.config.exchange_seconds = {{"all", 0.02}};

  const RunResult result = forecast_of(job, "sync");

  REQUIRE(result.by_device.size() == 2);
  for (const DeviceResult& device : result.by_device) {
    const double batch_s = device.model == "gpu-a" ? 5e-3 + 8 * 1e-3 : 3e-3 + 8 * 9e-3;
    CHECK(device.phases.compute_s == Approx(7 * 1.1 * batch_s).epsilon(1e-9));
  }
}

TEST_CASE("a repetition draws from one session, and repetitions use all sessions") {
  // One sample per session: an epoch of a repetition is known.
  Job job = with_workers(job_on(mixed(2, 1, 1, pcie(), star()), 4 * 8 * 7), 1, 4);
  job.config.exchange_seconds = {{"all", 0.02}};
  job.config.deterministic = false;
  job.config.repetitions = 8;
  Job still = job;
  still.config.deterministic = true;

  const auto results = forecasts({{job, "sync"}, {still, "sync"}});

  const double batch_s = 3e-3 + 8 * 9e-3;  // of the CPUs, in the first session
  const auto epoch_s = [&](double factor) { return 7 * (factor * batch_s + 0.02); };
  CHECK(results[0].epoch_s == Approx(epoch_s(1.375)).epsilon(1e-9));  // mean of 1 to 1.75
  REQUIRE(results[0].epoch_s_interval);
  // Of a fifth session after four: Student's t distribution with 3 degrees of freedom, in eight
  // equal parts, of which those in the middle of the first and the second lie around 5 %.
  double mean = 0;
  double sum = 0;
  for (const double factor : {1.0, 1.25, 1.5, 1.75}) mean += std::log(epoch_s(factor)) / 4;
  for (const double factor : {1.0, 1.25, 1.5, 1.75})
    sum += std::pow(std::log(epoch_s(factor)) - mean, 2);
  const double deviation = std::sqrt(sum / 3 * (1 + 1.0 / 4));
  const auto predicted_s = [&](double direction) {
    const double first_s = std::exp(mean + direction * 2.113086729236421 * deviation);
    const double second_s = std::exp(mean + direction * 1.0394735612700092 * deviation);
    return std::lerp(first_s, second_s, 0.05 * 7);
  };
  CHECK(results[0].epoch_s_interval->low_s == Approx(predicted_s(-1)).epsilon(1e-9));
  CHECK(results[0].epoch_s_interval->high_s == Approx(predicted_s(1)).epsilon(1e-9));
  CHECK(results[1].epoch_s == Approx(epoch_s(1.375)).epsilon(1e-9));  // median of the four
}

TEST_CASE("ranks that differ but have constant times give no interval") {
  Job job = with_workers(job_on(plain_star(4, {}), 4 * 8 * 7), 2, 1);
  job.config.deterministic = false;

  CHECK_FALSE(forecast_of(job, "sync").epoch_s_interval);
}

TEST_CASE("the same seed gives the same bytes, another seed another forecast") {
  Job job = job_on(cluster(), kSamples, 0.1);
  const std::string first = forecast_json(job, "hetgrad").dump();
  const std::string second = forecast_json(job, "hetgrad").dump();
  job.config.seed = 2;
  const nlohmann::json other = forecast_json(job, "hetgrad");

  CHECK(first == second);
  CHECK(other["epoch_s"] != nlohmann::json::parse(first)["epoch_s"]);
  CHECK(other["epoch_s_interval"] != nlohmann::json::parse(first)["epoch_s_interval"]);
}

TEST_CASE("only forecasts from varying samples have an interval") {
  Job deterministic = job_on(cluster(), kSamples, 0.1);
  deterministic.config.deterministic = true;
  Job single = job_on(cluster(), kSamples, 0);
  single.config.deterministic = false;
  const Job drawn = job_on(cluster(), kSamples, 0.1);

  const auto results = forecasts({{deterministic, "sync"}, {single, "sync"}, {drawn, "sync"}});

  CHECK_FALSE(results[0].epoch_s_interval);
  CHECK_FALSE(results[1].epoch_s_interval);
  REQUIRE(results[2].epoch_s_interval);
  CHECK(results[2].epoch_s_interval->low_s < results[2].epoch_s);
  CHECK(results[2].epoch_s < results[2].epoch_s_interval->high_s);
  // Single samples are their own median: the deterministic forecast, seeded or not.
  CHECK(results[1].epoch_s == results[0].epoch_s);
}

TEST_CASE("a batch too large for a device is refused with both numbers") {
  Platform platform = plain_star(2, {});
  platform.nodes.front().devices.front().memory_bytes = 450'000'000;
  Job job = job_on(platform, 200'000);
  job.config.batch = 120;
  // 3 x 40 MB of parameters, gradients and momentum, 4 kB of buffers, 4,032 B a sample.
  CHECK(job.network.training_bytes(120) == 120e6 + 4e3 + 120 * 4032);
  CHECK_NOTHROW(forecast_of(job, "sync"));

  job.config.batch = 90'000;

  std::string message;
  try {
    (void)forecast_of(job, "sync");
  } catch (const UserError& error) {
    message = error.what();
  }
  CHECK(
      message ==
      "--batch: a batch of 90000 samples of four-layers needs 483 MB; device gpu-a has 450 MB: at "
      "most 81844 fit; --accumulate adds up smaller ones");
}

TEST_CASE("a strategy that cannot run on the platform is refused by name") {
  const Job job = job_on(mixed(2, 2, 0, pcie(), star()), kSamples);

  CHECK_THROWS_WITH(forecast_of(job, "byteps"),
                    "strategy byteps needs devices that train and CPUs that sum; platform test has "
                    "only the former; add CPUs to the `devices` of its nodes, such as {\"class\": "
                    "\"cpu\", \"model\": \"host\", \"count\": 2, \"reduce\": \"10GBps\"}");
  CHECK_THROWS_WITH(forecast_of(job, "sinc"), Catch::Contains("did you mean \"sync\"?"));
}

}  // namespace
}  // namespace epochcast::tests
