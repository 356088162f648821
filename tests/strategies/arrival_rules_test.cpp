// SPDX-License-Identifier: Apache-2.0
// Backup workers, FedBuff and group synchronous parallel: which gradients are an update.
#include <cmath>
#include <set>

#include "tests/catch.hpp"
#include "tests/strategies/server_job.hpp"

namespace epochcast::tests {
namespace {

using Catch::Matchers::Equals;

TEST_CASE("without backup workers, backup-workers is sync") {
  for (const int batches : {4, 12, 15}) {
    const StrategyJob job = served_job({0.3, 0.1, 0.2, 0.4}, 0, batches);
    const StrategyRun sync = run_strategy("sync", job);
    for (const int servers : {1, 2}) {
      CAPTURE(batches, servers);
      const StrategyRun run = run_strategy(
          "backup-workers",
          with(served_job({0.3, 0.1, 0.2, 0.4}, servers, batches), "backup-workers", "0"));

      for (std::size_t rank = 0; rank < 4; ++rank) {
        CHECK(run.learners[rank].starts == sync.learners[rank].starts);
        CHECK(run.learners[rank].parameters == sync.learners[rank].parameters);
      }
      CHECK(run.learners[4].applied.size() == sync.learners[0].applied.size());
    }
  }
}

/// Workers 0 and 1 make a batch in 1 s, worker 2 in 2.5 s; an update takes the first two gradients.
///   s           1        2        2.5       3        4        5
///   gradients   0, 1     0, 1     2 (late)  0, 1     0, 1     2 (of 2.5 s: late), 0, 1
///   batches     0, 1     3, 4               6, 7 ...
/// Batches are dealt to 0, 1, 2; to 0 and 1 after 1 s: 3, 4; after 2 s: 5, 6; to 2 after 2.5 s: 7;
/// after 3 s: 8, 9. Six updates take 12 gradients.
TEST_CASE("gradients that arrive after the update are dropped") {
  StrategyJob job = with(served_job({1, 1, 2.5}, 1, 12), "backup-workers", "1");
  job.config.epochs = 1;
  const StrategyRun run = run_strategy("backup-workers", job);

  const LearnerLog& server = run.learners[3];
  REQUIRE(server.applied.size() == 6);
  CHECK_THAT(server.rates, Equals(std::vector<double>(6, 1)));
  // The gradient of a batch is the mean of its positions: 4 b + 1.5.
  const auto mean_of = [](double a, double b) {
    return static_cast<float>((4 * a + 1.5 + 4 * b + 1.5) / 2);
  };
  CHECK(server.applied[0][0] == mean_of(0, 1));
  CHECK(server.applied[1][0] == mean_of(3, 4));
  CHECK(server.applied[2][0] == mean_of(5, 6));
  CHECK(server.applied[3][0] == mean_of(8, 9));
  // Worker 2 gets the parameters of two updates after 2.5 s.
  const std::vector<std::vector<float>>& starts = run.learners[2].starts;
  REQUIRE(starts.size() >= 2);
  CHECK(starts[0][0] == 0);
  CHECK(starts[1][0] == -(mean_of(0, 1) + mean_of(3, 4)));
  CHECK(run.reports[3].updates_by_staleness == std::vector<std::int64_t>{12});
}

TEST_CASE("backup workers begin the order of samples again when it is used up") {
  StrategyJob job = with(served_job({1, 1, 2.5}, 1, 4), "backup-workers", "1");
  job.config.epochs = 1;
  const StrategyRun run = run_strategy("backup-workers", job);

  // Two updates of two gradients; worker 0 and 1 train on 0, 1, 3 and (4 mod 4 =) 0.
  CHECK(run.learners[1].shuffled.at(1).position(0) == 0);
  CHECK(run.learners[0].shuffled.size() == 2);
  CHECK(run.reports[0].rounds_per_epoch == 2);
}

TEST_CASE("there are fewer backup workers than workers") {
  CHECK_THROWS_WITH(
      run_strategy("backup-workers", with(served_job({1, 1}, 1, 8), "backup-workers", "2")),
      "--backup-workers: got 2; the job has 2 workers that train; expected fewer");
  CHECK(run_strategy("backup-workers", served_job({1}, 1, 8)).reports[0].rounds_per_epoch == 8);
}

StrategyJob buffered(
    const std::vector<double>& batch_s, int servers, std::int64_t batches, int buffer, int steps) {
  StrategyJob job = served_job(batch_s, servers, batches);
  set(job.config, "buffer-size", buffer);
  set(job.config, "local-steps", steps);
  return job;
}

TEST_CASE("fedbuff's first update is that of ps-sync, if the buffer has all workers") {
  for (const int servers : {1, 2}) {
    StrategyJob job = buffered({1, 2, 1.5, 3}, servers, 4, 4, 1);
    job.config.epochs = 1;
    const StrategyRun run = run_strategy("fedbuff", job);
    const StrategyRun sync = run_strategy("ps-sync", job);

    // All have the first parameters. Later, a worker does not wait for the update with its push.
    for (std::size_t rank = 0; rank < 4 + static_cast<std::size_t>(servers); ++rank)
      CHECK(run.learners[rank].parameters == sync.learners[rank].parameters);
    CHECK(updates_in(run.reports[4]) == 4);
  }
}

/// Worker 0 pushes after 1, 2, 3, ... s, worker 1 after 2.5 and 5 s; every two pushes are an
/// update.
///   s           1    2    2.5  3    4    5 (0)  5 (1)  6
///   worker      0    0    1    0    0    0      1      0
///   update           1         2         3             4
///   staleness   0    0    1    0    0    0      2      0
TEST_CASE("fedbuff weights a push by its staleness") {
  StrategyJob job = buffered({1, 2.5}, 1, 8, 2, 1);
  job.config.epochs = 1;
  job.work.gradient = [](int, std::int64_t) { return 1.0F; };
  const StrategyRun run = run_strategy("fedbuff", job);

  CHECK_THAT(run.reports[2].updates_by_staleness, Equals(std::vector<std::int64_t>{6, 1, 1}));
  // A push is -1 times the place of the parameter; weights are 1/sqrt(1 + staleness).
  const double moved = -(6 + 1 / std::sqrt(2.0) + 1 / std::sqrt(3.0)) / 2;
  for (const LearnerLog& learner : run.learners) {
    CHECK(learner.parameters[0] == Approx(moved).epsilon(1e-6));  // sums of float32
    CHECK(learner.parameters[1] == Approx(2 * moved).epsilon(1e-6));
  }

  const StrategyRun half = run_strategy("fedbuff", with(job, "server-rate", "0.5"));
  CHECK(half.learners[0].parameters[0] == Approx(0.5 * moved).epsilon(1e-6));
}

TEST_CASE("workers of fedbuff make local steps on batches that follow each other") {
  StrategyJob job = buffered({1, 1}, 1, 17, 2, 4);  // four pushes of four batches, one batch unused
  job.config.epochs = 1;
  const StrategyRun run = run_strategy("fedbuff", job);

  std::set<std::int64_t> positions;
  for (const std::size_t rank : {0U, 1U}) {
    REQUIRE(run.learners[rank].local.size() == 2);
    for (const LocalTraining& local : run.learners[rank].local) CHECK(local.steps == 4);
    for (const Share& share : run.learners[rank].shuffled) {
      for (std::int64_t n = 0; n < share.samples(); ++n) positions.insert(share.position(n));
      CHECK(share.epoch_end - share.epoch_begin == 0.25);
    }
    CHECK(run.reports[rank].local_steps == 4);
    CHECK(run.reports[rank].samples_per_epoch == 2 * 4 * kServedBatch);
  }
  CHECK(positions.size() == 4 * 4 * kServedBatch);
}

TEST_CASE("a buffer has at most as many pushes as an epoch") {
  CHECK_THROWS_WITH(run_strategy("fedbuff", buffered({1, 1}, 1, 8, 5, 2)),
                    "--buffer-size: got 5; an epoch has 4 pushes of 2 local steps with batch 4; "
                    "expected no more");
}

TEST_CASE("gssp with one group is ps-sync") {
  for (const int servers : {1, 2}) {
    const StrategyJob job = served_job({0.3, 0.1, 0.2, 0.4}, servers, 12);
    const StrategyRun run = run_strategy("gssp", with(job, "group-tolerance", "3"));
    const StrategyRun sync = run_strategy("ps-sync", job);

    for (std::size_t rank = 0; rank < 4; ++rank) {
      CHECK(run.learners[rank].starts == sync.learners[rank].starts);
      CHECK(run.learners[rank].parameters == sync.learners[rank].parameters);
    }
  }
}

TEST_CASE("gssp with a group for each worker is ps-async") {
  const StrategyJob job = served_job({0.3011, 0.1003, 0.2307, 0.4709}, 1, 40);
  const StrategyRun run = run_strategy("gssp", with(job, "group-tolerance", "0"));
  const StrategyRun free = run_strategy("ps-async", job);

  for (std::size_t rank = 0; rank < 4; ++rank) {
    CHECK(run.learners[rank].shuffled == free.learners[rank].shuffled);
    CHECK(run.learners[rank].starts == free.learners[rank].starts);
  }
}

/// Workers 0 and 2 make a batch in 1 and 1.1 s and push together after 1.1 and 2.2 s, workers 1 and
/// 3 after 3 s; then 0 and 2 after 3.3 s.
TEST_CASE("workers of similar speed wait for each other, groups do not") {
  StrategyJob job = served_job({1, 3, 1.1, 3}, 1, 12);
  job.config.epochs = 1;
  const StrategyRun run = run_strategy("gssp", job);

  const auto mean_of = [](double a, double b) {
    return static_cast<float>((4 * a + 1.5 + 4 * b + 1.5) / 2);
  };
  const LearnerLog& server = run.learners[4];
  REQUIRE(server.applied.size() == 6);
  CHECK(server.applied[0][0] == mean_of(0, 2));
  CHECK(server.applied[1][0] == mean_of(4, 5));
  CHECK(server.applied[2][0] == mean_of(1, 3));
  CHECK(server.applied[3][0] == mean_of(6, 7));
  // By pairs: 0, 0, 2 of the slow ones, 1, and at the end 0 and 2 of the slow ones.
  CHECK_THAT(run.reports[4].updates_by_staleness, Equals(std::vector<std::int64_t>{6, 2, 4}));
}

TEST_CASE("a group's tolerance is that of its fastest worker") {
  // 1, 1.15 | 1.3, 1.5: a chain of small steps is not one group.
  StrategyJob job = served_job({1.5, 1, 1.3, 1.15}, 1, 4);
  job.config.epochs = 1;
  const StrategyRun run = run_strategy("gssp", job);

  CHECK(run.learners[4].applied.size() == 2);
}

}  // namespace
}  // namespace epochcast::tests
