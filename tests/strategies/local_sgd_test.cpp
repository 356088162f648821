// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.hpp"
#include "tests/support/set.hpp"
#include "tests/support/strategy_run.hpp"

namespace epochcast::tests {
namespace {

using Catch::Matchers::Equals;

/// Workers that need these seconds per sample; those of rank 0's speed are GPUs, others CPUs.
StrategyJob workers_with(const std::vector<double>& sample_s,
                         std::int64_t batch,
                         std::int64_t steps,
                         std::int64_t samples) {
  std::vector<bool> is_fast;
  for (const double seconds : sample_s) is_fast.push_back(seconds == sample_s.front());
  StrategyJob job = {.workers = fast_and_slow(is_fast),
                     .config = small_config(batch, 2),
                     .train_samples = samples,
                     .work = proportional_work(sample_s),
                     .cost = {}};
  set(job.config, "local-steps", steps);
  return job;
}

std::vector<std::int64_t> steps_of(const StrategyRun& run) {
  std::vector<std::int64_t> steps;
  for (const LearnerLog& learner : run.learners) steps.push_back(learner.local.front().steps);
  return steps;
}

TEST_CASE("local-sgd makes T = floor(N/(P·B·H)) rounds: 4 with the paper's numbers") {
  const StrategyJob job = workers_with(std::vector<double>(10, 0.001), 32, 32, 50000);

  const StrategyRun run = run_strategy("local-sgd", job);

  for (int rank = 0; rank < 10; ++rank) {
    CHECK(run.all_reduces(rank, kParameterBytes).size() == 2 * 4);
    CHECK(run.all_reduces(rank, kGradientBytes).empty());
    CHECK(run.learners[static_cast<std::size_t>(rank)].local.size() == 2 * 4);
  }
  CHECK(run.reports[0].rounds_per_epoch == 4);
  CHECK(run.reports[0].iterations_per_epoch == 4 * 32);
}

TEST_CASE("local-sgd makes H steps of batch B a round on every worker, however slow") {
  const StrategyRun run = run_strategy("local-sgd", workers_with({0.001, 0.001, 0.01}, 4, 5, 300));

  for (const LearnerLog& learner : run.learners) {
    for (const LocalTraining& training : learner.local) {
      CHECK(training.steps == 5);
      CHECK(training.batch == 4);
    }
    CHECK(learner.benchmarks.empty());
  }
  CHECK(run.learners[1].shuffled == std::vector<Share>(2, Share{20, 20, 60, 5}));
}

TEST_CASE("local-sgd averages parameters plainly over all workers") {
  StrategyJob job = workers_with({0.001, 0.001, 0.001}, 4, 5, 120);
  job.work.gradient = [](int rank, std::int64_t) { return static_cast<float>(-rank - 1); };

  const StrategyRun run = run_strategy("local-sgd", job);

  // In each of two rounds, worker p moves by 5·(p + 1): on average 10.
  for (int rank = 0; rank < 3; ++rank) {
    const LearnerLog& learner = run.learners[static_cast<std::size_t>(rank)];
    CHECK(run.all_reduces(rank, kParameterBytes).front().weight == 1.0 / 3);
    CHECK(learner.starts[0][0] == 0);
    CHECK(learner.starts[1][0] == Approx(10));
    CHECK(learner.starts[2][0] == Approx(20));
  }
}

TEST_CASE("a round may be as long as an epoch") {
  const StrategyRun run = run_strategy("local-sgd", workers_with({0.001, 0.001}, 10, 5, 100));

  CHECK(run.reports[0].rounds_per_epoch == 1);
}

TEST_CASE("more local steps than an epoch has are refused") {
  const StrategyJob job = workers_with({0.001, 0.001}, 10, 6, 110);

  for (const char* name : {"local-sgd", "unbalanced-local-sgd", "biased-local-sgd"}) {
    CHECK_THROWS_WITH(run_strategy(name, job),
                      "--local-steps: one round of 6 steps takes more than an epoch: 2 workers "
                      "with batch 10 make 5 steps through 110 samples");
  }
}

TEST_CASE("unbalanced steps are max(1, floor(H·t_min/t_p))") {
  // 32/1, 32/2.5 = 12.8, 32/100 = 0.32
  const StrategyRun run =
      run_strategy("unbalanced-local-sgd", workers_with({0.001, 0.0025, 0.1}, 1, 32, 200));
  // The two CPU workers are of one model: both use the median of their times.
  CHECK_THAT(steps_of(run), Equals(std::vector<std::int64_t>{32, 1, 1}));

  StrategyJob job = workers_with({0.001, 0.0025, 0.1}, 1, 32, 200);
  job.workers[2].model = "cpu-b";
  CHECK_THAT(steps_of(run_strategy("unbalanced-local-sgd", job)),
             Equals(std::vector<std::int64_t>{32, 12, 1}));
}

TEST_CASE("unbalanced steps of times with an integer ratio are exact") {
  // 11·(0.015/0.165) is below 1, and 5·(0.005/0.025) too, in binary.
  CHECK_THAT(
      steps_of(run_strategy("unbalanced-local-sgd", workers_with({0.015, 0.165}, 1, 33, 100))),
      Equals(std::vector<std::int64_t>{33, 3}));
  CHECK_THAT(
      steps_of(run_strategy("unbalanced-local-sgd", workers_with({0.005, 0.025}, 1, 10, 100))),
      Equals(std::vector<std::int64_t>{10, 2}));
}

TEST_CASE("equal devices make equal steps although their benchmarks differ") {
  StrategyJob job = workers_with({0.0010, 0.0011, 0.0012}, 1, 30, 200);
  for (WorkerInfo& worker : job.workers) worker.model = "gpu-a";

  CHECK_THAT(steps_of(run_strategy("unbalanced-local-sgd", job)),
             Equals(std::vector<std::int64_t>{30, 30, 30}));
}

TEST_CASE("with unbalanced steps no worker waits longer than one of its steps") {
  const StrategyJob job = workers_with({0.001, 0.001, 0.003}, 4, 20, 1000);

  const StrategyRun run = run_strategy("unbalanced-local-sgd", job);

  CHECK_THAT(steps_of(run), Equals(std::vector<std::int64_t>{20, 20, 6}));
  for (const WorkerReport& report : run.reports) {
    const auto rounds = static_cast<double>(2 * report.rounds_per_epoch);
    CHECK(report.training.blocked_s <= rounds * 4 * 0.003 + 1e-9);
  }
}

TEST_CASE("unbalanced-local-sgd averages plainly; workers take H_p·B samples a round in turn") {
  const StrategyRun run =
      run_strategy("unbalanced-local-sgd", workers_with({0.001, 0.002}, 3, 4, 100));

  // T = floor(100/(2·3·4)) = 4.
  CHECK(run.learners[0].shuffled == std::vector<Share>(2, Share{0, 4 * 3, 6 * 3, 4}));
  CHECK(run.learners[1].shuffled == std::vector<Share>(2, Share{4 * 3, 2 * 3, 6 * 3, 4}));
  CHECK(run.all_reduces(1, kParameterBytes).size() == 2 * 4);
  CHECK(run.all_reduces(1, kParameterBytes).front().weight == 0.5);
  CHECK(run.reports[1].local_steps == 2);
}

TEST_CASE("local steps by hand: fast and slow, a device class, or a model") {
  StrategyJob job = workers_with({0.001, 0.002, 0.001}, 1, 32, 1000);
  const auto steps_with = [&](const std::string& by_hand) {
    set(job.config, "local-steps", by_hand);
    return steps_of(run_strategy("unbalanced-local-sgd", job));
  };

  CHECK_THAT(steps_with("fast=32,slow=1"), Equals(std::vector<std::int64_t>{32, 1, 32}));
  CHECK_THAT(steps_with("cpu=3"), Equals(std::vector<std::int64_t>{32, 3, 32}));
  CHECK_THAT(steps_with("cpu-a=5,cpu=3"), Equals(std::vector<std::int64_t>{32, 5, 32}));
  CHECK_THAT(steps_with("gpu=8,slow=2"), Equals(std::vector<std::int64_t>{8, 2, 8}));
}

TEST_CASE("local steps for an unknown device class are refused") {
  StrategyJob job = workers_with({0.001, 0.002}, 1, 32, 1000);
  set(job.config, "local-steps", "gpus=8");
  CHECK_THROWS_WITH(run_strategy("unbalanced-local-sgd", job),
                    "--local-steps: unknown device class \"gpus\"; did you mean \"gpu\"?");

  set(job.config, "local-steps", "quantum=8");
  CHECK_THROWS_WITH(run_strategy("biased-local-sgd", job),
                    "--local-steps: unknown device class \"quantum\"; known: fast, slow, gpu, "
                    "gpu-a, cpu, cpu-a");
}

}  // namespace
}  // namespace epochcast::tests
