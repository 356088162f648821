// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "tests/catch.hpp"
#include "tests/support/set.hpp"
#include "tests/support/strategy_run.hpp"

namespace epochcast::tests {
namespace {

using Catch::Matchers::Equals;

/// Nodes of two and one workers, N = 120, B = 4: K = 10.
StrategyJob two_nodes(std::optional<std::int64_t> period) {
  StrategyJob job = {.workers = workers_on({0, 0, 1}),
                     .config = small_config(4, 3),
                     .train_samples = 120,
                     .work = {},
                     .cost = {}};
  if (period) set(job.config, "averaging-period", *period);
  return job;
}

TEST_CASE("node-based averages parameters between nodes ceil(K/K') times an epoch") {
  const std::vector<std::int64_t> periods = {1, 2, 3, 4, 5, 7, 10};
  const std::vector<std::size_t> averagings = {10, 5, 4, 3, 2, 2, 1};
  for (std::size_t i = 0; i < periods.size(); ++i) {
    CAPTURE(periods[i]);

    const StrategyRun run = run_strategy("node-based", two_nodes(periods[i]));

    for (int rank = 0; rank < 3; ++rank) {
      const std::vector<FakeCall> calls = run.all_reduces(rank, kParameterBytes);
      CHECK(calls.size() == 3 * averagings[i]);
      CHECK(calls.front().weight == 1.0 / 3);
      CHECK_THAT(calls.front().ranks, Equals(std::vector<int>{0, 1, 2}));
    }
    CHECK(run.reports[0].rounds_per_epoch == static_cast<std::int64_t>(averagings[i]));
    CHECK(run.reports[0].iterations_per_epoch == 10);
  }
}

TEST_CASE("node-based on one node exchanges among all workers in every iteration") {
  StrategyJob job = two_nodes(std::nullopt);
  job.workers = workers_on({0, 0, 0});

  CHECK(run_strategy("node-based", job).reports[0].rounds_per_epoch == 10);
}

TEST_CASE("node-based without a period averages once, at the end of the epoch") {
  const StrategyRun run = run_strategy("node-based", two_nodes(std::nullopt));

  for (int rank = 0; rank < 3; ++rank) {
    CHECK(run.all_reduces(rank, kParameterBytes).size() == 3);
  }
  CHECK(run.reports[0].rounds_per_epoch == 1);
  CHECK(run.reports[0].local_steps == 10);
}

TEST_CASE("node-based averages after every K' iterations and after the last one") {
  const StrategyRun run = run_strategy("node-based", two_nodes(4));

  std::vector<std::size_t> iterations_before;  // of each averaging
  std::size_t iterations = 0;
  for (const FakeCall& call : run.fabric.of(0, "all_reduce")) {
    if (call.bytes == kGradientBytes) ++iterations;
    if (call.bytes == kParameterBytes) iterations_before.push_back(iterations);
  }
  CHECK_THAT(iterations_before, Equals(std::vector<std::size_t>{4, 8, 10, 14, 18, 20, 24, 28, 30}));
}

TEST_CASE("node-based exchanges gradients only inside nodes, every iteration") {
  const StrategyRun run = run_strategy("node-based", two_nodes(4));

  for (int rank = 0; rank < 3; ++rank) {
    const bool is_alone = rank == 2;
    const std::vector<FakeCall> calls = run.all_reduces(rank, kGradientBytes);
    CHECK(calls.size() == 3 * 10);
    for (const FakeCall& call : calls) {
      CHECK_THAT(call.ranks, Equals(is_alone ? std::vector<int>{2} : std::vector<int>{0, 1}));
      CHECK(call.weight == (is_alone ? 1.0 : 0.5));
    }
  }
}

TEST_CASE("node-based steps on the node's gradient and continues from the mean of all parameters") {
  StrategyJob job = two_nodes(5);
  job.config.epochs = 1;
  job.work.gradient = [](int rank, std::int64_t) { return static_cast<float>(-rank - 1); };

  const StrategyRun run = run_strategy("node-based", job);

  // Node 0 steps by (1 + 2)/2 = 1.5, node 1 by 3. After five: 7.5, 7.5 and 15, mean 10.
  CHECK(run.learners[1].starts[4][0] == 4 * 1.5F);
  CHECK(run.learners[2].starts[4][0] == 4 * 3.0F);
  for (const LearnerLog& learner : run.learners) {
    CHECK(learner.starts[5][0] == Approx(10));
    CHECK(learner.parameters[0] == Approx(20));
  }
}

TEST_CASE("node-based with K' = 1 and one worker per node averages parameters every step") {
  StrategyJob job = two_nodes(1);
  job.workers = workers_on({0, 1, 2});

  const StrategyRun run = run_strategy("node-based", job);

  CHECK(run.all_reduces(0, kParameterBytes).size() == 3 * 10);
  CHECK(run.learners[0].parameters[0] == run.learners[2].parameters[0]);
}

TEST_CASE("node-based in the printed order averages, then applies the node's gradient") {
  StrategyJob job = two_nodes(5);
  job.config.epochs = 1;
  set(job.config, "averaging-order", "printed");
  job.work.gradient = [](int rank, std::int64_t) { return static_cast<float>(-rank - 1); };

  const StrategyRun run = run_strategy("node-based", job);

  // Node 0 steps by 1.5, node 1 by 3. After four: 6, 6 and 12, mean 8; then the fifth step. After
  // nine 8 + 5 * 1.5 = 15.5 and 23, mean 18; then the tenth.
  for (const int rank : {0, 1, 2}) {
    const LearnerLog& learner = run.learners[static_cast<std::size_t>(rank)];
    const double step = rank == 2 ? 3 : 1.5;
    CHECK(learner.starts[4][0] == Approx(4 * step));
    CHECK(learner.starts[5][0] == Approx(8 + step));
    CHECK(learner.parameters[0] == Approx(18 + step));
    CHECK(run.all_reduces(rank, kParameterBytes).size() == 2);
    CHECK(run.all_reduces(rank, kGradientBytes).size() == 10);
  }
}

TEST_CASE("node-based in the printed order with K' = 1 makes every step after an averaging") {
  StrategyJob job = two_nodes(1);
  set(job.config, "averaging-order", "printed");

  const StrategyRun run = run_strategy("node-based", job);

  CHECK(run.all_reduces(0, kParameterBytes).size() == 3 * 10);
  CHECK(run.all_reduces(0, kGradientBytes).size() == 3 * 10);
}

TEST_CASE("node-based with K' larger than K is refused") {
  CHECK_THROWS_WITH(run_strategy("node-based", two_nodes(11)),
                    "--averaging-period: got 11; an epoch has 10 iterations, so at most that");
}

}  // namespace
}  // namespace epochcast::tests
