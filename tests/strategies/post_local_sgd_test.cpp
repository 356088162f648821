// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.hpp"
#include "tests/support/set.hpp"
#include "tests/support/strategy_run.hpp"

namespace epochcast::tests {
namespace {

/// Two workers, B = 4, N = 80: K = 10 iterations, or 5 rounds of H = 2.
StrategyJob two_workers(std::int64_t epochs) {
  StrategyJob job = {.workers = fast_and_slow({true, true}),
                     .config = small_config(4, epochs),
                     .train_samples = 80,
                     .work = {},
                     .cost = {}};
  set(job.config, "local-steps", 2);
  return job;
}

TEST_CASE("post-local-sgd is sync for half of the epochs, then local SGD") {
  const StrategyRun run = run_strategy("post-local-sgd", two_workers(5));

  for (int rank = 0; rank < 2; ++rank) {
    CHECK(run.all_reduces(rank, kGradientBytes).size() == 2 * 10);
    CHECK(run.all_reduces(rank, kParameterBytes).size() == 3 * 5);
    CHECK(run.learners[static_cast<std::size_t>(rank)].local.size() == 3 * 5);
  }
}

TEST_CASE("post-local-sgd from epoch 0 is local-sgd, from the last one on it is sync") {
  StrategyJob job = two_workers(3);
  const StrategyRun local = run_strategy("local-sgd", job);
  const StrategyRun sync = run_strategy("sync", job);

  set(job.config, "local-from", 0);
  const StrategyRun never_sync = run_strategy("post-local-sgd", job);
  set(job.config, "local-from", 3);
  const StrategyRun never_local = run_strategy("post-local-sgd", job);

  for (std::size_t rank = 0; rank < 2; ++rank) {
    CHECK(never_sync.learners[rank].parameters == local.learners[rank].parameters);
    CHECK(never_sync.learners[rank].shuffled == local.learners[rank].shuffled);
    CHECK(never_local.learners[rank].parameters == sync.learners[rank].parameters);
    CHECK(never_local.learners[rank].shuffled == sync.learners[rank].shuffled);
  }
}

TEST_CASE("post-local-sgd reports a mean epoch") {
  StrategyJob job = two_workers(4);
  set(job.config, "local-steps", 3);  // 3 rounds of 3 steps: 36 samples instead of sync's 40

  const WorkerReport report = run_strategy("post-local-sgd", job).reports[0];

  CHECK(report.samples_per_epoch == (2 * 40 + 2 * 36) / 4);
  CHECK(report.rounds_per_epoch == (2 * 10 + 2 * 3) / 4);
  CHECK(report.iterations_per_epoch == (2 * 10 + 2 * 9) / 4);
  CHECK(report.local_steps == 3);
}

TEST_CASE("post-local-sgd without an epoch of local SGD reports the same as sync") {
  StrategyJob job = two_workers(4);
  const WorkerReport sync = run_strategy("sync", job).reports[0];
  set(job.config, "local-from", 4);
  set(job.config, "local-steps", 1000);  // more than an epoch has, and never taken

  const WorkerReport report = run_strategy("post-local-sgd", job).reports[0];

  CHECK(report.rounds_per_epoch == sync.rounds_per_epoch);
  CHECK(report.iterations_per_epoch == sync.iterations_per_epoch);
  CHECK(report.samples_per_epoch == sync.samples_per_epoch);
  CHECK(report.local_steps == sync.local_steps);
}

}  // namespace
}  // namespace epochcast::tests
