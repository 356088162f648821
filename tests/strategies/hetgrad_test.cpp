// SPDX-License-Identifier: Apache-2.0
#include "strategies/partition.hpp"
#include "tests/catch.hpp"
#include "tests/support/set.hpp"
#include "tests/support/strategy_run.hpp"

namespace epochcast::tests {
namespace {

/// Three workers that need 1, 2 and 4 ms a sample: c = 4, 2, 1. B = 7, so G = 21 and G/Σc = 3:
/// batches 12, 6, 3. N = 200: K = ⌊200/21⌋ = 9.
StrategyJob one_two_four() {
  return {.workers = fast_and_slow({true, false, false}),
          .config = small_config(7, 2),
          .train_samples = 200,
          .work = proportional_work({0.001, 0.002, 0.004}),
          .cost = {}};
}

const std::vector<std::int64_t> kBatches = {12, 6, 3};

/// The second worker has a fixed cost per batch, as a GPU that small batches do not fill.
StrategyJob fixed_cost(std::int64_t batch) {
  StrategyJob job = one_two_four();
  job.workers = fast_and_slow({true, false});
  job.config = small_config(batch, 1);
  job.train_samples = 10000;
  job.work.batch_s = [](int rank, std::int64_t samples) {
    const auto size = static_cast<double>(samples);
    return rank == 0 ? 0.004 * size : 0.2 + 0.0005 * size;
  };
  return job;
}

TEST_CASE("hetgrad's batches are G/sum(c)·c, side by side in each global batch") {
  const StrategyRun run = run_strategy("hetgrad", one_two_four());

  std::int64_t begin = 0;
  for (std::size_t p = 0; p < 3; ++p) {
    CHECK(run.reports[p].batch == kBatches[p]);
    CHECK(run.learners[p].shuffled == std::vector<Share>(2, Share{begin, kBatches[p], 21, 9}));
    begin += kBatches[p];
  }
}

TEST_CASE("hetgrad measures every worker on the batch of the job before it partitions") {
  const StrategyRun run = run_strategy("hetgrad", one_two_four());

  for (std::size_t p = 0; p < 3; ++p) {
    CHECK(run.learners[p].benchmarks == std::vector<std::int64_t>{7, kBatches[p]});
  }
}

TEST_CASE("hetgrad's weights are proportional to batches and sum to 1") {
  const StrategyRun run = run_strategy("hetgrad", one_two_four());

  double sum = 0;
  for (int rank = 0; rank < 3; ++rank) {
    const std::vector<FakeCall> calls = run.all_reduces(rank, kGradientBytes);
    for (const FakeCall& call : calls) {
      CHECK(call.weight ==
            Approx(static_cast<double>(kBatches[static_cast<std::size_t>(rank)]) / 21));
    }
    sum += calls.front().weight;
  }
  CHECK(sum == Approx(1).epsilon(1e-15));
}

TEST_CASE("hetgrad gives the same number of iterations everywhere") {
  const StrategyRun run = run_strategy("hetgrad", one_two_four());

  for (std::size_t p = 0; p < 3; ++p) {
    CHECK(run.reports[p].iterations_per_epoch == 9);
    CHECK(run.learners[p].batches == std::vector<std::int64_t>(2 * 9, kBatches[p]));
    CHECK(run.all_reduces(static_cast<int>(p), kGradientBytes).size() == 2 * 9);
  }
}

/// The mean of a sample's gradient over the positions that all workers use in iteration k.
double global_mean(const TestWork& work, int k) {
  double sum = 0;
  std::int64_t begin = 0;
  for (std::size_t p = 0; p < 3; ++p) {
    for (std::int64_t i = 0; i < kBatches[p]; ++i) {
      sum += static_cast<double>(work.gradient(static_cast<int>(p), 21 * k + begin + i));
    }
    begin += kBatches[p];
  }
  return sum / 21;
}

TEST_CASE("hetgrad's weighted gradient equals the mean over the global batch") {
  StrategyJob job = one_two_four();
  job.work.gradient = [](int, std::int64_t i) { return static_cast<float>(i * i % 17); };

  const StrategyRun run = run_strategy("hetgrad", job);

  for (int k = 0; k < 9; ++k) {
    for (const LearnerLog& learner : run.learners) {
      CHECK(learner.applied[static_cast<std::size_t>(k)][0] == Approx(global_mean(job.work, k)));
    }
  }
}

TEST_CASE("hetgrad-unweighted uses the same batches and averages plainly") {
  StrategyJob job = one_two_four();
  job.work.gradient = [](int rank, std::int64_t) { return static_cast<float>(rank * rank); };

  const StrategyRun run = run_strategy("hetgrad-unweighted", job);

  for (std::size_t p = 0; p < 3; ++p) {
    CHECK(run.reports[p].batch == kBatches[p]);
    CHECK(run.all_reduces(static_cast<int>(p), kGradientBytes).front().weight == 1.0 / 3);
    CHECK(run.learners[p].applied.front()[0] == Approx((0 + 1 + 4) / 3.0));
  }
}

TEST_CASE("hetgrad-unweighted averages over the workers that have samples") {
  StrategyJob job = one_two_four();
  job.work = proportional_work({0.001, 0.001, 0.1});  // G = 21: 10.4, 10.4 and 0.1 samples
  job.work.gradient = [](int rank, std::int64_t) { return static_cast<float>(rank + 1); };

  const StrategyRun run = run_strategy("hetgrad-unweighted", job);

  CHECK(run.reports[2].batch == 0);
  CHECK(run.all_reduces(0, kGradientBytes).front().weight == 0.5);
  CHECK(run.all_reduces(2, kGradientBytes).front().weight == 0);
  CHECK(run.learners[2].applied.front()[0] == Approx((1 + 2) / 2.0));
}

TEST_CASE("hetgrad's batches sum to the global batch if shares are not integers") {
  StrategyJob job = one_two_four();
  job.work = proportional_work({0.0028, 0.0019, 0.001});

  const StrategyRun run = run_strategy("hetgrad", job);

  CHECK(run.reports[0].batch + run.reports[1].batch + run.reports[2].batch == 21);
  CHECK(run.reports[0].iterations_per_epoch == 200 / 21);
}

TEST_CASE("a worker too slow for one sample only exchanges") {
  StrategyJob job = one_two_four();
  job.workers = fast_and_slow({true, false});
  job.work = proportional_work({0.001, 0.1});  // G = 14, c = 100, 1: 13.86 and 0.14 samples

  const StrategyRun run = run_strategy("hetgrad", job);

  CHECK(run.reports[0].batch == 14);
  CHECK(run.reports[1].batch == 0);
  CHECK(run.reports[1].training.compute_s == 0);
  CHECK(run.learners[1].benchmarks == std::vector<std::int64_t>{7});
  CHECK(run.learners[1].batches == std::vector<std::int64_t>(2 * (200 / 14), 0));
  CHECK(run.all_reduces(1, kGradientBytes).front().weight == 0);
  CHECK(run.learners[1].parameters == run.learners[0].parameters);
}

TEST_CASE("hetgrad leaves no imbalance if time is proportional to the batch") {
  const StrategyRun run = run_strategy("hetgrad", one_two_four());

  CHECK(run.reports[0].constant_imbalance == Approx(0).margin(1e-12));
  CHECK_FALSE(run.reports[0].functional_imbalance.has_value());
}

TEST_CASE("functional partition leaves less imbalance than constant speeds on a fixed cost") {
  // Constant speeds at B = 64: t = 0.256 and 0.232; c = 1, 1.103; G = 128: batches 61 and 67, which
  // take 0.244 s and 0.2335 s: nearly equal by chance. At B = 16: t = 0.064 and 0.208, c = 3.25, 1;
  // G = 32: 24 and 8 (24.5 and 7.5) take 0.096 s and 0.204 s.
  StrategyJob job = fixed_cost(16);
  set(job.config, "partition", "functional");

  const StrategyRun run = run_strategy("hetgrad", job);

  const WorkerReport& report = run.reports[0];
  REQUIRE(report.constant_imbalance.has_value());
  REQUIRE(report.functional_imbalance.has_value());
  CHECK(*report.constant_imbalance == Approx((0.204 - 0.096) / 0.204));
  CHECK(*report.functional_imbalance < *report.constant_imbalance);
}

TEST_CASE("functional partition keeps the best of the batches that it has measured") {
  StrategyJob job = fixed_cost(128);
  set(job.config, "partition", "functional");
  // Every measurement of the second worker has an error of 30 %, up and down in turn.
  std::vector<std::vector<double>> measured(2);
  job.work.batch_s = [&](int rank, std::int64_t samples) {
    std::vector<double>& mine = measured[static_cast<std::size_t>(rank)];
    const double noise = rank == 0 ? 1 : (mine.size() % 2 == 0 ? 1.3 : 0.7);
    mine.push_back((rank == 0 ? 0.002 : 0.001) * static_cast<double>(samples) * noise);
    return mine.back();
  };

  const StrategyRun run = run_strategy("hetgrad", job);

  // Benchmarks: the job's batch, the batches of constant speeds, then every refinement.
  const std::vector<std::int64_t>& batches = run.learners[0].benchmarks;
  REQUIRE(batches.size() > 4);
  std::size_t best = 2;
  const auto left = [&](std::size_t i) { return imbalance({measured[0][i], measured[1][i]}); };
  for (std::size_t i = 2; i < batches.size(); ++i) {
    CHECK(batches[i] + run.learners[1].benchmarks[i] == 256);
    if (left(i) < left(best)) best = i;
  }
  REQUIRE(best + 1 < batches.size());
  CHECK(run.reports[0].functional_imbalance == left(best));
  CHECK(run.reports[0].batch == batches[best]);
}

TEST_CASE("functional partition finds the batches of equal time, all G of them") {
  // 0.004·b = 0.2 + 0.0005·(256 - b): b = 0.328/0.0045 = 72.9.
  StrategyJob job = fixed_cost(128);
  set(job.config, "partition", "functional");

  const StrategyRun run = run_strategy("hetgrad", job);

  CHECK(run.reports[0].batch == 73);
  CHECK(run.reports[1].batch == 256 - 73);
  CHECK(*run.reports[0].functional_imbalance <= 0.01);
}

}  // namespace
}  // namespace epochcast::tests
