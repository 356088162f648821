// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.hpp"
#include "tests/support/strategy_run.hpp"

namespace epochcast::tests {
namespace {

using Catch::Matchers::Equals;

/// Four workers on two nodes, 103 samples, batch 5: K = ⌊103/20⌋ = 5.
StrategyJob four_workers(std::int64_t epochs) {
  return {.workers = workers_on({0, 0, 1, 1}),
          .config = small_config(5, epochs),
          .train_samples = 103,
          .work = {},
          .cost = {}};
}

TEST_CASE("sync exchanges gradients E·K times and parameters once, by the first broadcast") {
  const StrategyJob job = four_workers(3);

  const StrategyRun run = run_strategy("sync", job);

  for (int rank = 0; rank < 4; ++rank) {
    CHECK(run.all_reduces(rank, kGradientBytes).size() == 3 * 5);
    CHECK(run.fabric.of(rank, "all_reduce").size() == 3 * 5);
    REQUIRE(run.fabric.of(rank, "broadcast").size() == 1);
    CHECK(run.fabric.of(rank, "broadcast")[0].bytes == kParameterBytes);
    CHECK(run.fabric.of(rank, "broadcast")[0].peer == 0);
  }
}

TEST_CASE("sync divides the epoch into global batches, B samples of each for every worker") {
  const StrategyRun run = run_strategy("sync", four_workers(2));

  for (std::int64_t rank = 0; rank < 4; ++rank) {
    const Share share = {.offset = 5 * rank, .length = 5, .stride = 20, .count = 5};
    CHECK(run.learners[static_cast<std::size_t>(rank)].shuffled == std::vector<Share>(2, share));
  }
}

TEST_CASE("sync weights every gradient by 1/P, among all workers") {
  const StrategyRun run = run_strategy("sync", four_workers(1));

  for (int rank = 0; rank < 4; ++rank) {
    for (const FakeCall& call : run.all_reduces(rank, kGradientBytes)) {
      CHECK(call.weight == 1.0 / 4);
      CHECK_THAT(call.ranks, Equals(std::vector<int>{0, 1, 2, 3}));
    }
  }
}

TEST_CASE("sync applies the mean gradient over the global batch, and all workers stay equal") {
  StrategyJob job = four_workers(1);
  const StrategyRun run = run_strategy("sync", job);

  for (std::size_t k = 0; k < 5; ++k) {
    const double mean = 20 * static_cast<double>(k) + 9.5;  // of positions 20·k ... 20·k + 19
    for (const LearnerLog& learner : run.learners) {
      CHECK(learner.applied[k][0] == Approx(mean));
      CHECK(learner.applied[k][5] == Approx(6 * mean));
    }
  }
  CHECK(run.learners[3].starts.front() == std::vector<float>(8, 0));  // of rank 0
  CHECK(run.learners[3].parameters == run.learners[0].parameters);
}

TEST_CASE("sync reports its batch, iterations and the time of its epochs") {
  StrategyJob job = four_workers(2);
  job.work = proportional_work({1, 1, 1, 2});
  job.cost = {.alpha_s = 3, .beta_s_per_byte = 0};

  const StrategyRun run = run_strategy("sync", job);

  const WorkerReport& report = run.reports[0];
  CHECK(report.batch == 5);
  CHECK(report.iterations_per_epoch == 5);
  CHECK(report.rounds_per_epoch == 5);
  CHECK(report.startup_s == 3);  // the broadcast
  CHECK(report.training_s == Approx(2 * 5 * (5 * 2 + 3)));
  CHECK(report.training.compute_s == Approx(2 * 5 * 5));
  CHECK(report.training.blocked_s == Approx(2 * 5 * 5));
  CHECK(report.training.exposed_communication_s == Approx(2 * 5 * 3));
}

TEST_CASE("a data set smaller than one global batch is refused") {
  StrategyJob job = four_workers(1);
  job.train_samples = 19;

  for (const char* name : {"sync", "node-based", "dlb"}) {
    CHECK_THROWS_WITH(
        run_strategy(name, job),
        "--batch: one iteration of all workers takes 20 samples; the data set has 19");
  }
}

TEST_CASE("bucket overlap sends every gradient once per iteration, last layers first") {
  StrategyJob job = four_workers(2);
  job.config.overlap = Overlap::bucket;

  const StrategyRun run = run_strategy("sync", job);

  for (int rank = 0; rank < 4; ++rank) {
    const LearnerLog& learner = run.learners[static_cast<std::size_t>(rank)];
    const std::vector<FakeCall> calls = run.fabric.of(rank, "all_reduce");
    REQUIRE(calls.size() == 2 * 5 * RecordingLearner::kBuckets);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      CHECK(calls[i].data == learner.bucket_addresses[i % RecordingLearner::kBuckets]);
      CHECK(calls[i].bytes == kGradientBytes / RecordingLearner::kBuckets);
      CHECK(calls[i].weight == 1.0 / 4);
    }
  }
}

TEST_CASE("bucket overlap applies the same gradients as no overlap, in less time") {
  StrategyJob job = four_workers(2);
  job.cost = {.alpha_s = 0, .beta_s_per_byte = 1e-5};
  const StrategyRun plain = run_strategy("sync", job);
  job.config.overlap = Overlap::bucket;

  const StrategyRun overlapped = run_strategy("sync", job);

  CHECK(overlapped.learners[2].applied == plain.learners[2].applied);
  // Two of three buckets are exchanged during backward: a third of the exchange stays exposed.
  const double exchange_s = 1e-5 * kGradientBytes;
  CHECK(plain.reports[0].training_s == Approx(2 * 5 * (0.005 + exchange_s)));
  CHECK(overlapped.reports[0].training_s == Approx(2 * 5 * (0.005 + exchange_s / 3)));
}

}  // namespace
}  // namespace epochcast::tests
