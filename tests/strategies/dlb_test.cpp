// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "tests/catch.hpp"
#include "tests/support/set.hpp"
#include "tests/support/strategy_run.hpp"

namespace epochcast::tests {
namespace {

/// Three workers of 1, 2 and 4 ms a sample. B = 7: G = 21; N = 100: K = 4.
StrategyJob one_two_four(std::int64_t epochs) {
  return {.workers = fast_and_slow({true, false, false}),
          .config = small_config(7, epochs),
          .train_samples = 100,
          .work = proportional_work({0.001, 0.002, 0.004}),
          .cost = {}};
}

/// The batches of every worker in one epoch.
std::vector<std::int64_t> batches_in(const StrategyRun& run, std::size_t epoch) {
  std::vector<std::int64_t> batches;
  for (const LearnerLog& learner : run.learners) {
    const std::size_t iterations = learner.batches.size() / learner.shuffled.size();
    for (std::size_t k = 0; k < iterations; ++k) {
      CHECK(learner.batches[epoch * iterations + k] == learner.batches[epoch * iterations]);
    }
    batches.push_back(learner.batches[epoch * iterations]);
  }
  return batches;
}

TEST_CASE("dlb starts from equal batches") {
  const StrategyRun run = run_strategy("dlb", one_two_four(1));

  CHECK(batches_in(run, 0) == std::vector<std::int64_t>{7, 7, 7});
  CHECK(run.learners[2].benchmarks.empty());
}

TEST_CASE("dlb's batches follow the throughput of the last epoch and sum to G") {
  const StrategyRun run = run_strategy("dlb", one_two_four(4));

  for (const std::size_t epoch : {1U, 2U, 3U}) {  // x = 1000, 500, 250 samples/s
    CHECK(batches_in(run, epoch) == std::vector<std::int64_t>{12, 6, 3});
  }
  CHECK(run.reports[0].batch == 12);
  CHECK(run.reports[0].iterations_per_epoch == 4);
}

TEST_CASE("dlb resumed when an epoch's last iteration is over keeps its batches for another one") {
  StrategyJob job = one_two_four(3);
  job.resumed_at = {0, 0, 0, 4};

  const StrategyRun run = run_strategy("dlb", job);

  REQUIRE(run.learners[0].batches.size() == 8);
  CHECK(run.learners[0].batches.front() == 7);
  CHECK(run.learners[0].batches.back() == 12);
  CHECK(run.learners[2].batches.back() == 3);
}

TEST_CASE("dlb adapts to a device with expensive small batches") {
  StrategyJob job = one_two_four(6);
  job.workers = fast_and_slow({true, false});
  job.config.batch = 50;
  job.train_samples = 1000;
  job.work.batch_s = [](int rank, std::int64_t batch) {
    return rank == 0 ? 0.001 * static_cast<double>(batch)
                     : 0.05 + 0.001 * static_cast<double>(batch);
  };

  const StrategyRun run = run_strategy("dlb", job);

  // x_0 = 1000/s, x_1 = b/(0.05 + 0.001·b): 500/s at 50, so B = 67, 33; then 398/s: 72, 28; ...
  CHECK(batches_in(run, 1) == std::vector<std::int64_t>{67, 33});
  CHECK(batches_in(run, 2) == std::vector<std::int64_t>{72, 28});
  for (std::size_t epoch = 0; epoch < 6; ++epoch) {
    const std::vector<std::int64_t> batches = batches_in(run, epoch);
    CHECK(std::accumulate(batches.begin(), batches.end(), std::int64_t{0}) == 100);
  }
}

TEST_CASE("dlb weights gradients by batch; they sum to the global mean") {
  StrategyJob job = one_two_four(2);
  job.work.gradient = [](int rank, std::int64_t) { return static_cast<float>(rank * rank); };

  const StrategyRun run = run_strategy("dlb", job);

  for (int rank = 0; rank < 3; ++rank) {
    const std::vector<FakeCall> calls = run.all_reduces(rank, kGradientBytes);
    const std::vector<double> expected = {12.0 / 21, 6.0 / 21, 3.0 / 21};
    REQUIRE(calls.size() == 2 * 4);
    CHECK(calls.front().weight == 7.0 / 21);
    CHECK(calls.back().weight == expected[static_cast<std::size_t>(rank)]);
  }
  CHECK(run.learners[0].applied.back()[0] == Approx((0 * 12 + 1 * 6 + 4 * 3) / 21.0));
}

TEST_CASE("dlb's workers use adjacent samples") {
  const StrategyRun run = run_strategy("dlb", one_two_four(2));

  CHECK(run.learners[0].shuffled[1] == Share{0, 12, 21, 4});
  CHECK(run.learners[1].shuffled[1] == Share{12, 6, 21, 4});
  CHECK(run.learners[2].shuffled[1] == Share{18, 3, 21, 4});
}

TEST_CASE("dlb: a worker leaves if a sample takes longer than the fastest worker's batch") {
  StrategyJob job = one_two_four(4);
  job.work = proportional_work({0.001, 0.001, 0.008});  // 8 times as long; B = 7

  const StrategyRun run = run_strategy("dlb", job);

  for (const std::size_t epoch : {1U, 2U, 3U})
    CHECK(run.learners[0].shuffled[epoch] == Share{0, 7, 14, 4});
  CHECK(run.learners[2].shuffled[1].length == 0);
  CHECK(run.learners[2].batches.size() == 4);  // of the first epoch alone
  CHECK(run.reports[2].samples_per_epoch == 0);
  CHECK(run.reports[0].iterations_per_epoch == 4);  // as many as before its departure
}

TEST_CASE("dlb: a worker stays if a sample takes no longer than the fastest worker's batch") {
  StrategyJob job = one_two_four(2);
  job.work = proportional_work({0.001, 0.001, 0.007});

  CHECK(batches_in(run_strategy("dlb", job), 1) == std::vector<std::int64_t>{10, 10, 1});
}

TEST_CASE("dlb: gradients are averaged among the workers that stay") {
  StrategyJob job = one_two_four(2);
  job.work = proportional_work({0.001, 0.003, 1});
  job.work.gradient = [](int rank, std::int64_t) { return static_cast<float>(1 + rank); };

  const StrategyRun run = run_strategy("dlb", job);

  // Of 14 samples, 11 and 3: the third worker's gradient of 3 does not count.
  CHECK(run.learners[0].applied.back()[0] == Approx((1 * 11 + 2 * 3) / 14.0));
  CHECK(run.learners[1].applied.back()[0] == Approx((1 * 11 + 2 * 3) / 14.0));
}

TEST_CASE("dlb: workers of similar speed stay with any batch") {
  StrategyJob job = one_two_four(2);
  job.config.batch = 1;
  job.work = proportional_work({0.001, 0.0011, 0.0019});

  CHECK(batches_in(run_strategy("dlb", job), 1) == std::vector<std::int64_t>{1, 1, 1});
}

TEST_CASE("dlb: rank 0 gets the parameters of the remaining workers after it has left") {
  StrategyJob job = one_two_four(2);
  job.workers = fast_and_slow({false, true, true});
  job.work = proportional_work({1, 0.001, 0.001});

  const StrategyRun run = run_strategy("dlb", job);

  CHECK(run.learners[0].batches.size() == 4);
  CHECK(run.learners[0].parameters == run.learners[1].parameters);
}

TEST_CASE("dlb with a least batch of 0 leaves every worker a sample") {
  StrategyJob job = one_two_four(3);
  job.work = proportional_work({0.001, 0.001, 10});
  set(job.config, "least-batch", 0);

  CHECK(batches_in(run_strategy("dlb", job), 1) == std::vector<std::int64_t>{10, 10, 1});
}

TEST_CASE("dlb with a larger least batch lets more workers leave, and begins with no less") {
  StrategyJob job = one_two_four(2);
  job.work = proportional_work({0.001, 0.001, 0.002});
  set(job.config, "least-batch", 3);
  CHECK(batches_in(run_strategy("dlb", job), 1) == std::vector<std::int64_t>{9, 8, 4});

  set(job.config, "least-batch", 4);
  CHECK(run_strategy("dlb", job).learners[2].batches.size() == 4);

  set(job.config, "least-batch", 8);
  CHECK_THROWS_WITH(run_strategy("dlb", job), "--least-batch: got 8; workers begin with --batch 7");
}

}  // namespace
}  // namespace epochcast::tests
