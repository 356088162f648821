// SPDX-License-Identifier: Apache-2.0
// The loader of a node delivers so many samples per second, while batches are computed and
// gradients exchanged.
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/sim/clusters.hpp"
#include "tests/sim/equal_results.hpp"
#include "tests/sim/jobs.hpp"
#include "tests/support/set.hpp"

namespace epochcast::tests {
namespace {

using Catch::Matchers::WithinRel;

constexpr std::int64_t kIterations = 6;

/// Two workers on a node, whose batches of 8 take 100 ms; an exchange takes 50 ms.
Job job_loading(double samples_per_s) {
  Job job = job_on(mixed(1, 2, 0, pcie(), nullptr), 2 * 8 * kIterations);
  job.config.batch_seconds = {{"gpu", 0.1}};
  job.config.exchange_seconds = {{"all", 0.05}};
  job.config.batch = 8;
  job.config.epochs = 1;
  if (samples_per_s > 0) job.config.loading_samples_per_s = samples_per_s;
  return job;
}

double epoch_s(double samples_per_s) {
  return forecast_of(job_loading(samples_per_s), "sync").epoch_s;
}

TEST_CASE("a fast loader is waited for once in an epoch") {
  CHECK_THAT(epoch_s(0), WithinRel(kIterations * 0.15, 1e-9));
  // 16 samples of both workers in 100 ms: the first batch is loaded when the epoch begins.
  CHECK_THAT(epoch_s(160), WithinRel(0.1 + kIterations * 0.15, 1e-9));
}

TEST_CASE("a slow loader determines the time of an iteration, exchange included") {
  // The last batch is computed and exchanged after it has been loaded.
  CHECK_THAT(epoch_s(80), WithinRel(kIterations * 0.2 + 0.15, 1e-9));
}

TEST_CASE("each part of an accumulated batch is loaded") {
  Job job = job_loading(80);
  job.config.accumulate = 3;

  CHECK_THAT(forecast_of(job, "sync").epoch_s, WithinRel(kIterations * 0.2 + 0.15, 1e-9));
}

TEST_CASE("local steps wait for the loader one by one") {
  Job job = job_loading(80);
  set(job.config, "local-steps", 3);

  CHECK_THAT(forecast_of(job, "local-sgd").epoch_s, WithinRel(kIterations * 0.2 + 0.15, 1e-9));
}

TEST_CASE("omitted iterations do not change how long the loader is waited for") {
  std::vector<Run> runs;
  for (const char* strategy : {"sync", "node-based", "local-sgd", "hetgrad", "fsdp"}) {
    for (const double rate : {150.0, 300.0}) {
      for (const bool exact : {false, true}) {
        Job job = job_on(mixed(2, 2, 0, pcie(), star()), 4 * 8 * 60);
        job.config.loading_samples_per_s = rate;
        job.config.epochs = 3;
        job.config.exact = exact;
        runs.push_back({job, strategy});
      }
    }
  }

  const std::vector<RunResult> results = forecasts(runs);

  for (std::size_t i = 0; i < runs.size(); i += 2) {
    CAPTURE(runs[i].strategy, *runs[i].job.config.loading_samples_per_s);
    check_equal(results[i], results[i + 1]);
  }
}

}  // namespace
}  // namespace epochcast::tests
