// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <map>

#include "tests/catch.hpp"
#include "tests/support/set.hpp"
#include "tests/support/strategy_run.hpp"

namespace epochcast::tests {
namespace {

constexpr std::int64_t kTimedBatch = 4;

/// Workers whose batches take so many seconds; so many batches an epoch, and three samples more.
/// The outer step leaves averages as they are.
StrategyJob timed_job(const std::vector<double>& batch_s,
                      const std::string& sync_seconds,
                      std::int64_t batches,
                      std::int64_t epochs = 1) {
  StrategyJob job = {.workers = workers_on(std::vector<int>(batch_s.size(), 0)),
                     .config = small_config(kTimedBatch, epochs),
                     .train_samples = batches * kTimedBatch + 3,
                     .work = {},
                     .cost = {}};
  job.work.batch_s = [batch_s](int rank, std::int64_t) {
    return batch_s.at(static_cast<std::size_t>(rank));
  };
  set(job.config, "sync-seconds", sync_seconds);
  set(job.config, "outer-rate", "1");
  set(job.config, "outer-momentum", "0");
  return job;
}

TEST_CASE("workers of time-synced make as many steps as they begin in --sync-seconds") {
  // Batches begin at 0, 0.1, ... 0.9 s and at 0, 0.25, 0.5, 0.75 s: 10 and 4, both end after 1 s.
  StrategyJob job = timed_job({0.1, 0.25}, "950ms", 28);
  job.work.gradient = [](int rank, std::int64_t) { return rank == 0 ? 1.0F : 3.0F; };

  const StrategyRun run = run_strategy("time-synced", job);

  CHECK(run.reports[0].samples_per_epoch == 20 * kTimedBatch);
  CHECK(run.reports[1].samples_per_epoch == 8 * kTimedBatch);
  CHECK(run.reports[0].local_steps == 10);
  CHECK(run.reports[1].local_steps == 4);
  CHECK(run.reports[0].rounds_per_epoch == 2);
  CHECK(run.reports[1].iterations_per_epoch == 14);
  CHECK(run.reports[0].training_s == Approx(2));
  CHECK(run.all_reduces(0, kParameterBytes).size() == 2);  // none after a round without batches
  // The mean moves by (10·1 + 4·3) / 2 in each round.
  CHECK(run.learners[1].starts[4][0] == -11);
  CHECK(run.learners[0].parameters[0] == -22);
}

TEST_CASE("time-synced makes the outer step of diloco") {
  // One step in each round, as in diloco with --local-steps 1. Each worker's batch is worth 1.
  StrategyJob job = timed_job({1, 1}, "500ms", 12);
  job.work.gradient = [](int, std::int64_t) { return 1.0F; };
  for (const char* rate : {"1", "0.7"}) {
    for (const char* momentum : {"0", "0.9"}) {
      set(job.config, "outer-rate", rate);
      set(job.config, "outer-momentum", momentum);
      set(job.config, "local-steps", 1);

      const StrategyRun timed = run_strategy("time-synced", job);
      const StrategyRun diloco = run_strategy("diloco", job);

      CHECK(timed.learners[0].starts == diloco.learners[0].starts);
      CHECK(timed.learners[1].parameters == diloco.learners[1].parameters);
    }
  }
}

TEST_CASE("time-synced uses each whole batch once an epoch, and ends with 1 to 17 workers") {
  for (int workers = 1; workers <= 17; ++workers) {
    for (const std::string sync_seconds : {"10ms", "250ms", "1000s"}) {
      for (const std::int64_t batches : {1, workers, 3 * workers + 1}) {
        CAPTURE(workers, sync_seconds, batches);
        std::vector<double> batch_s;
        for (int rank = 0; rank < workers; ++rank) batch_s.push_back(0.1 + 0.03 * (rank % 5));
        StrategyJob job = timed_job(batch_s, sync_seconds, batches, 2);
        job.cost = {.alpha_s = 1e-3, .beta_s_per_byte = 1e-4};

        const StrategyRun run = run_strategy("time-synced", job);

        std::map<std::int64_t, int> uses;
        std::int64_t samples = 0;
        for (std::size_t rank = 0; rank < run.learners.size(); ++rank) {
          for (const Share& share : run.learners[rank].shuffled) ++uses[share.position(0)];
          samples += run.reports[rank].samples_per_epoch;
          CHECK(run.learners[rank].parameters == run.learners[0].parameters);
        }
        CHECK(uses.size() == static_cast<std::size_t>(batches));
        for (const auto& [position, count] : uses) CHECK(count == 2);  // epochs
        CHECK(samples == batches * kTimedBatch);
        if (sync_seconds == "1000s") CHECK(run.reports[0].rounds_per_epoch == 1);
      }
    }
  }
}

/// Three workers that make one step of 6, 12 and 6 in each round: the mean of two or three is an
/// integer, and norms of a worker do not change, except in round 5, by `factor(rank)`.
StrategyJob with_anomaly(const std::function<float(int rank)>& factor) {
  StrategyJob job = timed_job({1, 1, 1}, "500ms", 3 * 9);
  job.work.gradient = [factor](int rank, std::int64_t position) {
    const bool is_round_5 = position / (3 * kTimedBatch) == 5;
    return (rank == 1 ? 12.0F : 6.0F) * (is_round_5 ? factor(rank) : 1);
  };
  set(job.config, "anomaly-start", 5);
  return job;
}

/// The first parameter after the rounds, if the mean of round 5 is this.
double after_rounds(double mean_of_5) { return -8 * 8.0 - mean_of_5; }

TEST_CASE("a worker with a long pseudo-gradient is left out of the average") {
  const auto end = [](const StrategyJob& job) {
    return static_cast<double>(run_strategy("time-synced", job).learners[0].parameters[0]);
  };

  CHECK(end(with_anomaly([](int) { return 1.0F; })) == after_rounds(8));
  CHECK(end(with_anomaly([](int rank) { return rank == 2 ? 1000.0F : 1; })) == after_rounds(9));
  CHECK(end(with_anomaly([](int rank) { return rank == 0 ? 1 : 1000.0F; })) == after_rounds(6));
  // All go back.
  CHECK(end(with_anomaly([](int) { return 1000.0F; })) == after_rounds(0));
  // A short one is not left out.
  CHECK(end(with_anomaly([](int rank) { return rank == 2 ? 0.0F : 1; })) == after_rounds(6));
  // Before --anomaly-start nobody is.
  StrategyJob job = with_anomaly([](int rank) { return rank == 2 ? 1000.0F : 1; });
  set(job.config, "anomaly-start", 6);
  CHECK(end(job) == after_rounds((6 + 12 + 6000) / 3.0));
}

TEST_CASE("parameters that are not finite are left out in any round") {
  StrategyJob job = with_anomaly(
      [](int rank) { return rank == 2 ? std::numeric_limits<float>::quiet_NaN() : 1.0F; });
  set(job.config, "anomaly-start", 100);

  const StrategyRun run = run_strategy("time-synced", job);

  for (const LearnerLog& learner : run.learners)
    CHECK(static_cast<double>(learner.parameters[0]) == after_rounds(9));
}

TEST_CASE("--anomaly-threshold and --anomaly-decay are of the moving variance of norms") {
  // One worker's norms: 1 in the first round, 3 in the second, then `last`. With decay 0.5 the mean
  // is 2 and the variance 0.5 · 0.5 · 2² = 1 before it: 2 + threshold is the most.
  for (const auto& [last, is_taken] : std::map<float, bool>{{3.9F, true}, {4.1F, false}}) {
    StrategyJob job = timed_job({1}, "500ms", 3);
    job.work.gradient = [last = last](int, std::int64_t position) {
      const float norms[] = {1, 3, last};
      return norms[position / kTimedBatch] / std::sqrt(91.0F);  // 1² + 2² + ... 6²
    };
    set(job.config, "anomaly-start", 2);
    set(job.config, "anomaly-decay", "0.5");
    set(job.config, "anomaly-threshold", "2");

    const StrategyRun run = run_strategy("time-synced", job);

    const double moved = (1 + 3 + (is_taken ? static_cast<double>(last) : 0)) / std::sqrt(91.0);
    CHECK(static_cast<double>(run.learners[0].parameters[0]) == Approx(-moved));
  }
}

TEST_CASE("time-synced averages differences if they are compressed") {
  StrategyJob job = timed_job({0.1, 0.3, 0.2}, "1s", 40, 2);
  job.config.compression = "int8";

  const StrategyRun run = run_strategy("time-synced", job);

  for (const LearnerLog& learner : run.learners)
    CHECK(learner.parameters == run.learners[0].parameters);
  CHECK(run.all_reduces(0, kParameterBytes).empty());
}

TEST_CASE("time-synced has no --overlap") {
  JobConfig config;
  config.overlap = Overlap::bucket;
  CHECK_THROWS_WITH(find_strategy("time-synced").check(config, DeviceNames(workers_on({0}))),
                    "--overlap: time-synced exchanges parameters when no worker computes");
}

}  // namespace
}  // namespace epochcast::tests
