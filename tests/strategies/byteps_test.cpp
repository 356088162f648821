// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.hpp"
#include "tests/support/set.hpp"
#include "tests/support/strategy_run.hpp"

namespace epochcast::tests {
namespace {

using Catch::Matchers::Equals;

/// Three GPUs that train and two CPUs that aggregate, ranked last as in core/job/placement.hpp. N =
/// 70, B = 4: K = floor(70/12) = 5.
StrategyJob three_and_two_servers() {
  StrategyJob job = {.workers = fast_and_slow({true, true, true, false, false}),
                     .config = small_config(4, 2),
                     .train_samples = 70,
                     .work = {},
                     .cost = {}};
  job.workers[3].role = job.workers[4].role = Role::sums;
  set(job.config, "partition-bytes", "1000B");
  return job;
}

TEST_CASE("byteps servers compute nothing and their weight is 0") {
  const StrategyRun run = run_strategy("byteps", three_and_two_servers());

  for (const int rank : {3, 4}) {
    const LearnerLog& learner = run.learners[static_cast<std::size_t>(rank)];
    CHECK(learner.batches.empty());
    CHECK(learner.applied.empty());
    CHECK(learner.shuffled.empty());
    CHECK(run.reports[static_cast<std::size_t>(rank)].batch == 0);
    CHECK(run.reports[static_cast<std::size_t>(rank)].training.compute_s == 0);
    for (const FakeCall& call : run.all_reduces(rank, kGradientBytes)) CHECK(call.weight == 0);
  }
}

TEST_CASE("byteps pushes every gradient to the servers once per iteration, K = floor(N/(P·B))") {
  const StrategyRun run = run_strategy("byteps", three_and_two_servers());

  for (int rank = 0; rank < 5; ++rank) {
    const std::vector<FakeCall> calls = run.all_reduces(rank, kGradientBytes);
    REQUIRE(calls.size() == 2 * 5);
    for (const FakeCall& call : calls) {
      CHECK(call.all_reduce.algorithm == "push-pull");
      CHECK(call.all_reduce.partition_bytes == 1000);
      CHECK(call.all_reduce.servers == 2);
      CHECK_THAT(call.ranks, Equals(std::vector<int>{0, 1, 2, 3, 4}));
    }
  }
}

TEST_CASE("byteps averages over workers that train, which take B samples in turn") {
  const StrategyRun run = run_strategy("byteps", three_and_two_servers());

  for (int rank = 0; rank < 3; ++rank) {
    const LearnerLog& learner = run.learners[static_cast<std::size_t>(rank)];
    CHECK(run.all_reduces(rank, kGradientBytes).front().weight == 1.0 / 3);
    CHECK(learner.shuffled == std::vector<Share>(2, Share{4 * rank, 4, 12, 5}));
    CHECK(learner.applied.front()[0] == Approx((1.5 + 5.5 + 9.5) / 3));  // means of 4 positions
  }
}

TEST_CASE("byteps servers take part in every bucket of an overlapped exchange") {
  StrategyJob job = three_and_two_servers();
  job.config.overlap = Overlap::bucket;

  const StrategyRun run = run_strategy("byteps", job);

  for (int rank = 0; rank < 5; ++rank) {
    const std::vector<FakeCall> calls =
        run.all_reduces(rank, kGradientBytes / RecordingLearner::kBuckets);
    CHECK(calls.size() == 2 * 5 * RecordingLearner::kBuckets);
  }
  CHECK(run.learners[0].parameters == run.learners[2].parameters);
}

}  // namespace
}  // namespace epochcast::tests
