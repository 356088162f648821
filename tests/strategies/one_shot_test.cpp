// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.hpp"
#include "tests/support/strategy_run.hpp"

namespace epochcast::tests {
namespace {

/// Three workers, B = 4, N = 60: K = 5, three epochs. In each step worker p moves by p + 1.
StrategyJob three_workers() {
  StrategyJob job = {.workers = fast_and_slow({true, true, false}),
                     .config = small_config(4, 3),
                     .train_samples = 60,
                     .work = {},
                     .cost = {}};
  job.work.gradient = [](int rank, std::int64_t) { return static_cast<float>(-rank - 1); };
  return job;
}

TEST_CASE("one-shot exchanges once, after the last epoch, and ends with the mean") {
  const StrategyRun run = run_strategy("one-shot", three_workers());

  for (int rank = 0; rank < 3; ++rank) {
    const LearnerLog& learner = run.learners[static_cast<std::size_t>(rank)];
    CHECK(run.all_reduces(rank, kGradientBytes).empty());
    REQUIRE(run.all_reduces(rank, kParameterBytes).size() == 1);
    CHECK(run.all_reduces(rank, kParameterBytes)[0].weight == 1.0 / 3);
    CHECK(learner.local.size() == 3);
    // Before its last epoch a worker has only its own steps.
    CHECK(learner.starts[2][0] == Approx(2 * 5 * (rank + 1)));
    CHECK(learner.parameters[0] == Approx(3 * 5 * 2));
  }
  CHECK(run.reports[0].rounds_per_epoch == 0);
  CHECK(run.reports[0].local_steps == 3 * 5);
}

TEST_CASE("one-shot trains on the same samples as local-sgd with one step") {
  const StrategyRun run = run_strategy("one-shot", three_workers());

  CHECK(run.learners[1].shuffled == std::vector<Share>(3, Share{4, 4, 12, 5}));
}

}  // namespace
}  // namespace epochcast::tests
