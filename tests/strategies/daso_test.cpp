// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.hpp"
#include "tests/support/set.hpp"
#include "tests/support/strategy_run.hpp"

namespace epochcast::tests {
namespace {

using Catch::Matchers::Equals;

/// Workers on these nodes, 10 iterations an epoch.
StrategyJob daso_job(const std::vector<int>& nodes, int period, int delay) {
  StrategyJob job = {.workers = workers_on(nodes),
                     .config = small_config(4, 2),
                     .train_samples = 40 * static_cast<std::int64_t>(nodes.size()),
                     .work = {},
                     .cost = {}};
  if (nodes.back() == 0) return job;  // refused on one node
  set(job.config, "global-period", period);
  set(job.config, "global-delay", delay);
  return job;
}

TEST_CASE("daso with a period of 1 and no delay is sync") {
  for (const std::vector<int>& nodes :
       {std::vector<int>{0}, {0, 0}, {0, 1}, {0, 0, 1, 1}, {0, 0, 1}}) {
    CAPTURE(nodes);
    const StrategyRun sync = run_strategy("sync", daso_job(nodes, 1, 0));
    const StrategyRun daso = run_strategy("daso", daso_job(nodes, 1, 0));

    for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
      CHECK(daso.learners[rank].batches == sync.learners[rank].batches);
      for (std::size_t i = 0; i < sync.learners[rank].parameters.size(); ++i) {
        CHECK(daso.learners[rank].parameters[i] ==
              Approx(sync.learners[rank].parameters[i]).epsilon(1e-5));
      }
    }
  }
}

TEST_CASE("one worker of each node takes part in daso's exchanges") {
  const StrategyRun run = run_strategy("daso", daso_job({0, 0, 1, 1}, 4, 1));

  // Per epoch: rounds of 4, 4 and 2 iterations, and the average at its end.
  for (const int rank : {0, 2}) {
    const std::vector<FakeCall> calls = run.all_reduces(rank, kParameterBytes);
    REQUIRE(calls.size() == 2 * 4);
    CHECK_THAT(calls[0].ranks, Equals(std::vector<int>{0, 2}));
    CHECK(calls[0].all_reduce.stream == 1);
  }
  for (const int rank : {1, 3}) CHECK(run.all_reduces(rank, kParameterBytes).empty());
  for (int rank = 0; rank < 4; ++rank)
    CHECK(run.all_reduces(rank, kGradientBytes).size() == 2 * 10);  // inside nodes
}

/// Two nodes of one worker, one round of 2 iterations, of which the exchange overlaps the last.
/// Gradient 0 of a batch of one sample is its position.
TEST_CASE("daso weights its newer parameters by twice the delay") {
  StrategyJob job = daso_job({0, 1}, 2, 1);
  job.config.batch = 1;
  job.config.epochs = 1;
  job.train_samples = 4;

  const StrategyRun run = run_strategy("daso", job);

  // Samples 0 and 1, then 2 and 3: node n has sent -n, and moved on to -n - (2 + n).
  const float sent = -0.0F - 1.0F;
  const float own0 = (2 * -2.0F + sent) / (2 + 2);
  const float own1 = (2 * -4.0F + sent) / (2 + 2);
  CHECK(run.learners[0].parameters[0] == Approx((own0 + own1) / 2));  // the average at the end
  CHECK(run.learners[1].parameters[0] == run.learners[0].parameters[0]);
}

TEST_CASE("daso does not wait for other nodes while its exchange overlaps computing") {
  StrategyJob job = daso_job({0, 1}, 10, 5);
  job.config.epochs = 1;
  job.work.batch_s = [](int, std::int64_t) { return 1.0; };
  job.cost = {.alpha_s = 2, .beta_s_per_byte = 0};

  const StrategyRun run = run_strategy("daso", job);

  // The exchange of the round is hidden; the first broadcast and the average at the end are not.
  CHECK(run.reports[0].training_s == Approx(10 + 2));
}

TEST_CASE("daso ends with 1 to 17 workers") {
  for (int workers = 1; workers <= 17; ++workers) {
    std::vector<int> nodes;
    for (int rank = 0; rank < workers; ++rank) nodes.push_back(rank / 3);
    CAPTURE(workers);
    const StrategyRun run = run_strategy("daso", daso_job(nodes, 3, 2));

    for (const LearnerLog& learner : run.learners)
      CHECK(learner.parameters == run.learners[0].parameters);
  }
}

TEST_CASE("daso's delay is at most its period") {
  const StrategyJob job = daso_job({0, 1}, 2, 3);
  CHECK_THROWS_WITH(find_strategy("daso").check(job.config, DeviceNames(job.workers)),
                    "--global-delay: got 3; expected at most the --global-period, 2");
}

}  // namespace
}  // namespace epochcast::tests
