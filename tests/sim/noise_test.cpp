// SPDX-License-Identifier: Apache-2.0
// With noise, loops are sampled and extrapolated: the forecast must agree with one that draws every
// batch, within the uncertainty of the number of samples.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "tests/catch.hpp"
#include "tests/sim/jobs.hpp"
#include "tests/support/set.hpp"

namespace epochcast::tests {
namespace {

constexpr int kRepetitions = 40;

/// The standard deviation of an epoch over repetitions, from its 5-95 % interval: for a normal
/// distribution, the interval is 3.29 of them wide.
double deviation_s(const RunResult& result) {
  return (result.epoch_s_interval->high_s - result.epoch_s_interval->low_s) / 3.29;
}

struct Pair {
  RunResult sampled;
  RunResult exact;
};

/// Exchanges take given times, so drawing every batch is cheap too.
Pair with_and_without(Job job, const std::string& strategy) {
  job.config.epochs = 1;
  job.config.repetitions = kRepetitions;
  job.config.exchange_seconds = {{"all", 0.02}, {"node", 0.004}};
  Job exact = job;
  exact.config.exact = true;
  auto results = forecasts({{job, strategy}, {exact, strategy}});
  return {std::move(results[0]), std::move(results[1])};
}

/// A job whose batches take a thousand times as long once in 500.
Job with_rare_outliers(const Platform& platform, std::int64_t train_samples) {
  Job job = job_on(platform, train_samples, 0.1);
  for (CostTrace& trace : job.traces) {
    for (BatchSamples& samples : trace.batches) {
      const double seconds = samples.total_s.front();
      samples.total_s.assign(499, seconds);
      samples.total_s.push_back(1000 * seconds);
    }
  }
  return job;
}

TEST_CASE("a sampled epoch is forecast like one with every batch drawn", "[exhaustive]") {
  for (const char* strategy :
       {"sync", "hetgrad", "local-sgd", "unbalanced-local-sgd", "node-based", "dlb"}) {
    CAPTURE(strategy);
    // 400 iterations; node-based averages every 40.
    Job job = job_on(mixed(4, 2, 0, pcie(), star()), 400 * 8 * 8, 0.3);
    set(job.config, "averaging-period", 40);

    const Pair runs = with_and_without(job, strategy);

    // Both means vary by their standard errors, and the sampled one by that of its pilot passes: at
    // most 400 iterations by the mean of 8 x 31. Four such errors: one comparison in 16,000 exceeds
    // them, and seeds are fixed.
    const double sampled_s = deviation_s(runs.sampled);
    const double exact_s = deviation_s(runs.exact);
    const double error_s = std::hypot(sampled_s / std::sqrt(kRepetitions),
                                      exact_s / std::sqrt(kRepetitions),
                                      exact_s * std::sqrt(400.0 / (8 * 31)));
    CHECK(std::abs(runs.sampled.epoch_s - runs.exact.epoch_s) < 4 * error_s);
    CHECK(error_s < 0.015 * runs.exact.epoch_s);  // else the check above would be weak
    // 40 repetitions give a deviation to 11 % (1/sqrt(2·39)), quantiles worse, and there are two.
    CHECK(sampled_s / exact_s > 0.5);
    CHECK(sampled_s / exact_s < 2);
  }
}

TEST_CASE("with sessions and ranks, too, sampled epochs are like those with every batch drawn",
          "[exhaustive]") {
  for (const char* strategy : {"sync", "hetgrad", "unbalanced-local-sgd", "node-based", "dlb"}) {
    CAPTURE(strategy);
    Job job = job_on(mixed(4, 2, 0, pcie(), star()), 400 * 8 * 8, 0.3);
    set(job.config, "averaging-period", 40);

    const Pair runs = with_and_without(with_workers(job, 2, 4), strategy);

    // Both use the same sessions, which differ by 25 %, 10 times each; the rest is chance within
    // them. Samples deviate by 19 %, so the mean of 400 iterations by 0.95 %, and that of the 16 x
    // 31 iterations of a session's pilots by 0.85 %. The error of a mean over all is 0.85 / √4 +
    // 1.3 / √40 + 0.95 / √40 < 0.8 %; that of an end of the interval, the second or third of 10, is
    // about one deviation of its repetition, 1.3 %. Four of each.
    CHECK(runs.sampled.epoch_s == Approx(runs.exact.epoch_s).epsilon(0.032));
    const Interval& sampled = *runs.sampled.epoch_s_interval;
    const Interval& exact = *runs.exact.epoch_s_interval;
    CHECK(sampled.low_s == Approx(exact.low_s).epsilon(0.052));
    CHECK(sampled.high_s == Approx(exact.high_s).epsilon(0.052));
    CHECK(exact.high_s > 1.3 * exact.low_s);  // else the checks above would be weak
  }
}

TEST_CASE("nodes without global exchanges vary independently") {
  // One worker per node: it waits only at the averagings, for the slowest of 8.
  Job job = job_on(plain_star(8, {}), 400 * 8 * 8, 0.3);
  set(job.config, "averaging-period", 100);

  const Pair runs = with_and_without(job, "node-based");

  // E[max of 8] - mean = 1.42 deviations of 100 batches, 4 averagings x 40 repetitions: an error of
  // about 1/sqrt(160) = 8 % on both sides, and of the deviation of a batch of 5 %.
  const double ratio = runs.sampled.phases.blocked_s / runs.exact.phases.blocked_s;
  CHECK(ratio == Approx(1).epsilon(0.35));
}

TEST_CASE("a loop is not extrapolated from another one of the same length") {
  // 40 rounds of 41 iterations, then 40 iterations: on one node, both loops are of the same
  // workers.
  Job job = job_on(mixed(1, 2, 0, pcie(), nullptr), (40 * 41 + 40) * 2 * 8, 0.1);
  set(job.config, "averaging-period", 41);

  const Pair runs = with_and_without(job, "node-based");

  // Means over 40 repetitions of 1,680 iterations of ±10 %, learned from 32 x 31 rounds: below
  // 0.1 % each. Rounds and iterations in one would deviate by half their sum, an epoch by 7 %.
  CHECK(runs.sampled.epoch_s == Approx(runs.exact.epoch_s).epsilon(0.005));
  CHECK(deviation_s(runs.sampled) < 2 * deviation_s(runs.exact));
}

TEST_CASE("with rare very long batches, every iteration is run") {
  for (const char* strategy : {"sync", "local-sgd", "node-based", "dlb"}) {
    CAPTURE(strategy);
    Job job = with_rare_outliers(mixed(2, 2, 0, pcie(), star()), 400 * 4 * 8);
    set(job.config, "averaging-period", 40);

    const Pair runs = with_and_without(job, strategy);

    // The draws are the same: equal except for the order of additions.
    CHECK(runs.sampled.epoch_s == Approx(runs.exact.epoch_s).epsilon(1e-9));
    const Interval& sampled = *runs.sampled.epoch_s_interval;
    const Interval& exact = *runs.exact.epoch_s_interval;
    CHECK(sampled.low_s == Approx(exact.low_s).epsilon(1e-9));
    CHECK(sampled.high_s == Approx(exact.high_s).epsilon(1e-9));
    // No worker computes for less than all of its batches at their fastest.
    CHECK(sampled.low_s >= 400 * 13e-3);
  }
}

TEST_CASE("rare long batches count by their frequency in loops too long to be run in full") {
  // One worker: the mean is exactly 1 + 999/500 = 2.998 times the median.
  Job job = with_rare_outliers(mixed(1, 1, 0, pcie(), nullptr), 60'000 * 8);
  job.config.epochs = 1;
  job.config.repetitions = 60;

  const RunResult result = forecast_of(job, "sync");

  // 60,000 batches have 120 outliers ± 11: 6 % of the whole, for one repetition. The error of the
  // pilots' mean is 2 %, of 60 repetitions 6/√60 = 0.8 %; the error of the pilots is drawn anew in
  // each repetition. Three errors of 2.2 %.
  CHECK(result.epoch_s == Approx(60'000 * 13e-3 * 2.998).epsilon(3 * 0.022));
  const double high = result.epoch_s_interval->high_s / result.epoch_s;
  const double low = result.epoch_s_interval->low_s / result.epoch_s;
  CHECK(high - low > 0.1);
  CHECK(high - low < 0.4);
}

TEST_CASE("workers that wait for each other every batch are slower on average than each alone") {
  // The maximum of 8 draws from ±30 % lies above their median; without noise no worker waits.
  const Job job = job_on(mixed(4, 2, 0, pcie(), star()), 400 * 8 * 8, 0.3);
  Job still = job;
  still.config.deterministic = true;

  const auto results = forecasts({{job, "sync"}, {still, "sync"}});

  CHECK(results[0].epoch_s > 1.02 * results[1].epoch_s);
  CHECK(results[0].phases.blocked_s > 0.05 * results[0].phases.compute_s);
  CHECK(results[1].phases.blocked_s < 1e-9);
}

/// 64 samples from 0.7 to 1.3 of the median, by two ranks that measured at the same time.
Job with_drift(const std::vector<int>& order, const std::vector<int>& order_of_second) {
  Job job = job_on(plain_star(2, {}), 12 * 2 * 8, 0.3);
  job.config.exchange_seconds = {{"all", 0.02}};
  job.config.epochs = 1;
  job.config.repetitions = 100;
  std::vector<BatchSamples>& batches = job.traces.front().batches;
  const double median_s = batches.at(1).total_s.front();
  BatchSamples samples;
  samples.batch = 8;
  batches.clear();
  for (const auto& each : {order, order_of_second}) {
    samples.total_s.clear();
    for (const int place : each) samples.total_s.push_back((0.7 + 0.6 * place / 63.0) * median_s);
    batches.push_back(samples);
    ++samples.rank;
  }
  return job;
}

std::vector<int> ascending() {
  std::vector<int> order(64);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// Fast and slow in turn: 0, 63, 1, 62, ...
std::vector<int> alternating() {
  std::vector<int> order;
  for (int i = 0; i < 32; ++i) order.insert(order.end(), {i, 63 - i});
  return order;
}

TEST_CASE("epochs vary more if slowdowns last for a while") {
  const auto results = forecasts({{with_drift(ascending(), ascending()), "sync"},
                                  {with_drift(alternating(), alternating()), "sync"}});

  // A dozen successive batches: all of them slow or fast, or as many of each.
  CHECK(deviation_s(results[0]) > 3 * deviation_s(results[1]));
  CHECK(results[0].epoch_s == Approx(results[1].epoch_s).epsilon(0.06));
}

TEST_CASE("workers that are slow at the same time do not wait for each other") {
  std::vector<int> descending = ascending();
  std::reverse(descending.begin(), descending.end());

  const auto results = forecasts({{with_drift(ascending(), ascending()), "sync"},
                                  {with_drift(ascending(), descending), "sync"}});

  CHECK(results[0].phases.blocked_s < 1e-9);
  CHECK(results[1].phases.blocked_s > 0.1 * results[1].phases.compute_s);
}

}  // namespace
}  // namespace epochcast::tests
