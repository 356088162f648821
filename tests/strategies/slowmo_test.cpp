// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.hpp"
#include "tests/support/set.hpp"
#include "tests/support/strategy_run.hpp"

namespace epochcast::tests {
namespace {

/// Four workers on two nodes, B = 4, N = 192: K = 12 iterations, or 4 rounds of H = 3.
StrategyJob four_workers() {
  StrategyJob job = {.workers = workers_on({0, 0, 1, 1}),
                     .config = small_config(4, 2),
                     .train_samples = 192,
                     .work = {},
                     .cost = {}};
  set(job.config, "local-steps", 3);
  set(job.config, "averaging-period", 3);
  return job;
}

/// The same, of which the second and fourth worker take four times as long for a batch.
StrategyJob two_slow_workers() {
  StrategyJob job = four_workers();
  job.workers = fast_and_slow({true, false, true, false});
  job.work.batch_s = [](int rank, std::int64_t) { return rank % 2 == 0 ? 0.01 : 0.04; };
  set(job.config, "local-steps", 4);
  return job;
}

/// With K' = H.
void check_equals_base(StrategyJob job, const std::string& base, const std::string& compression) {
  CAPTURE(base, compression);
  job.config.compression = compression;
  const StrategyRun of_base = run_strategy(base, job);
  set(job.config, "slowmo-base", base);
  set(job.config, "slowmo-rate", 1);
  set(job.config, "slowmo-momentum", 0);

  const StrategyRun slow = run_strategy("slowmo", job);

  for (std::size_t rank = 0; rank < 4; ++rank) {
    CHECK(slow.learners[rank].parameters == of_base.learners[rank].parameters);
    CHECK(slow.learners[rank].starts == of_base.learners[rank].starts);
    CHECK(slow.learners[rank].shuffled == of_base.learners[rank].shuffled);
  }
}

TEST_CASE("slowmo with rate 1 and without momentum is its base, bit for bit") {
  for (const std::string compression : {"none", "int8"}) {
    for (const std::string base : {"local-sgd", "node-based", "post-local-sgd"})
      check_equals_base(four_workers(), base, compression);
    for (const std::string base : {"unbalanced-local-sgd", "biased-local-sgd"})
      check_equals_base(two_slow_workers(), base, compression);
  }
}

TEST_CASE("slowmo continues from theta_t - alpha gamma u, u = beta u + (theta_t - mean)/gamma") {
  StrategyJob job = four_workers();
  job.work.gradient = [](int rank, std::int64_t) { return static_cast<float>(rank + 1); };
  job.work.learning_rate = [](int) { return 0.25; };
  constexpr double kAlpha = 0.5;
  constexpr double kBeta = 0.6;
  set(job.config, "slowmo-rate", "0.5");
  set(job.config, "slowmo-momentum", "0.6");

  const StrategyRun run = run_strategy("slowmo", job);

  // Gradient j of a worker is (rank + 1)·(j + 1): in three steps the mean moves by 3·2.5·(j + 1).
  const std::vector<std::vector<float>>& starts = run.learners[1].starts;
  REQUIRE(starts.size() == 8);
  for (std::size_t j = 0; j < RecordingLearner::kGradients; ++j) {
    const double moved = 3 * 2.5 * static_cast<double>(j + 1);
    double theta = 0;
    double u = 0;
    for (const std::vector<float>& start : starts) {
      CHECK(start[j] == Approx(theta).epsilon(1e-5));  // float32
      u = kBeta * u + moved / 0.25;
      theta -= kAlpha * 0.25 * u;
    }
    CHECK(run.learners[1].parameters[j] == Approx(theta).epsilon(1e-5));
  }
}

TEST_CASE("workers that make unequal steps with unequal rates make the same outer step") {
  StrategyJob job = two_slow_workers();
  job.work.learning_rate = [](int rank) { return rank % 2 == 0 ? 0.125 : 0.375; };
  set(job.config, "slowmo-base", "unbalanced-local-sgd");
  const StrategyRun unequal = run_strategy("slowmo", job);
  job.work.learning_rate = [](int) { return 0.25; };
  const StrategyRun equal = run_strategy("slowmo", job);

  for (std::size_t rank = 0; rank < 4; ++rank)
    CHECK(unequal.learners[rank].parameters == equal.learners[0].parameters);
}

TEST_CASE("slowmo with post-local-sgd makes its first outer step from its first local epoch") {
  StrategyJob job = four_workers();
  job.config.epochs = 2;
  set(job.config, "slowmo-base", "post-local-sgd");
  set(job.config, "local-steps", 12);  // one average in the second epoch
  set(job.config, "slowmo-rate", "0.5");
  set(job.config, "slowmo-momentum", 0);
  const StrategyRun slow = run_strategy("slowmo", job);
  const StrategyRun base = run_strategy("post-local-sgd", job);
  job.config.epochs = 1;
  set(job.config, "local-from", 1);
  const StrategyRun synchronous = run_strategy("post-local-sgd", job);

  for (std::size_t j = 0; j < RecordingLearner::kGradients; ++j) {
    const auto before = static_cast<double>(synchronous.learners[0].parameters[j]);
    const auto averaged = static_cast<double>(base.learners[0].parameters[j]);
    CHECK(slow.learners[0].parameters[j] == Approx((before + averaged) / 2).epsilon(1e-5));
  }
}

TEST_CASE("slowmo exchanges what its base does") {
  StrategyJob job = four_workers();
  const StrategyRun local = run_strategy("slowmo", job);
  set(job.config, "slowmo-base", "node-based");
  const StrategyRun nodes = run_strategy("slowmo", job);

  CHECK(local.all_reduces(0, kParameterBytes).size() == 2 * 4);
  CHECK(local.all_reduces(0, kGradientBytes).empty());
  CHECK(nodes.all_reduces(0, kParameterBytes).size() == 2 * 4);
  CHECK(nodes.all_reduces(0, kGradientBytes).size() == 2 * 12);
}

TEST_CASE("slowmo makes no step after rounds with learning rate 0") {
  StrategyJob job = four_workers();
  const StrategyRun local = run_strategy("local-sgd", job);
  job.work.learning_rate = [](int) { return 0.0; };

  const StrategyRun slow = run_strategy("slowmo", job);

  CHECK(slow.learners[0].parameters == local.learners[0].parameters);
}

}  // namespace
}  // namespace epochcast::tests
