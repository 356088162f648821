// SPDX-License-Identifier: Apache-2.0
#include <numeric>
#include <set>

#include "core/job/setting_text.hpp"
#include "tests/catch.hpp"
#include "tests/support/set.hpp"
#include "tests/support/strategy_run.hpp"

namespace epochcast::tests {
namespace {

constexpr std::int64_t kEpochs = 3;
constexpr std::int64_t kBatch = 2;
constexpr std::int64_t kFastSteps = 8;
constexpr std::int64_t kSlowSteps = 2;
constexpr std::int64_t kSamples = 100;
constexpr std::int64_t kRounds = kSamples / (3 * kBatch * kFastSteps);  // P = 3: two rounds

/// Workers by speed, the fast ones four times as fast.
StrategyJob job_of(const std::vector<bool>& is_fast) {
  std::vector<double> sample_s;
  for (const bool fast : is_fast) sample_s.push_back(fast ? 0.001 : 0.004);
  StrategyJob job = {.workers = fast_and_slow(is_fast),
                     .config = small_config(kBatch, kEpochs),
                     .train_samples = kSamples,
                     .work = proportional_work(sample_s),
                     .cost = {}};
  set(job.config, "local-steps", kFastSteps);
  return job;
}

StrategyJob two_fast_one_slow() { return job_of({true, true, false}); }

std::vector<double> weights_of(const StrategyRun& run) {
  std::vector<double> weights;
  for (int rank = 0; rank < 3; ++rank) {
    const std::vector<FakeCall> calls = run.all_reduces(rank, kParameterBytes);
    REQUIRE(calls.size() == kEpochs * kRounds);
    for (const FakeCall& call : calls) CHECK(call.weight == calls.front().weight);
    weights.push_back(calls.front().weight);
  }
  return weights;
}

const std::vector<double> kBiased = {8.0 / 18, 8.0 / 18, 2.0 / 18};  // H_p/ΣH
const std::vector<double> kPlain = {1.0 / 3, 1.0 / 3, 1.0 / 3};

TEST_CASE("biased aggregation weights parameters by H_p over the sum") {
  StrategyJob job = two_fast_one_slow();
  job.work.gradient = [](int rank, std::int64_t) { return static_cast<float>(-rank - 1); };

  const StrategyRun run = run_strategy("biased-local-sgd", job);

  CHECK(weights_of(run) == kBiased);
  const double walk = (8 * 8 * 1 + 8 * 8 * 2 + 2 * 2 * 3) / 18.0;
  CHECK(run.learners[2].starts[1][0] == Approx(walk));
  CHECK(run.learners[2].starts[2][0] == Approx(2 * walk));
}

TEST_CASE("the four ablations differ exactly in weights and draws") {
  for (const bool weighted : {false, true}) {
    for (const std::string sampling : {"none", "separated"}) {
      StrategyJob job = two_fast_one_slow();
      set(job.config, "weighted-aggregation", show_switch(weighted));
      set(job.config, "sampling", sampling);

      const StrategyRun run = run_strategy("biased-local-sgd", job);

      const bool draws = sampling == "separated";
      CHECK(weights_of(run) == (weighted ? kBiased : kPlain));
      CHECK(run.learners[0].draws.size() == (draws ? kEpochs : 0));
      for (int rank = 0; rank < 3; ++rank) {
        const LearnerLog& learner = run.learners[static_cast<std::size_t>(rank)];
        CHECK(learner.drawn.size() == (draws ? kEpochs : 0));
        CHECK(learner.shuffled.size() == (draws ? 0 : kEpochs));
        CHECK(run.fabric.of(rank, "gather").size() == (draws ? kEpochs : 0));
        CHECK(run.fabric.of(rank, "broadcast").size() == 1 + (draws ? kEpochs : 0));
        for (const LocalTraining& training : learner.local) {
          CHECK(training.steps == (rank == 2 ? kSlowSteps : kFastSteps));
        }
      }
    }
  }
}

TEST_CASE("without its biases, biased local SGD is unbalanced local SGD") {
  StrategyJob job = two_fast_one_slow();
  set(job.config, "weighted-aggregation", "off");
  set(job.config, "sampling", "none");

  const StrategyRun biased = run_strategy("biased-local-sgd", job);
  const StrategyRun unbalanced = run_strategy("unbalanced-local-sgd", job);

  for (std::size_t rank = 0; rank < 3; ++rank) {
    CHECK(biased.learners[rank].shuffled == unbalanced.learners[rank].shuffled);
    CHECK(biased.learners[rank].starts == unbalanced.learners[rank].starts);
    CHECK(biased.fabric.calls[rank].size() == unbalanced.fabric.calls[rank].size());
    CHECK(biased.reports[rank].training_s == unbalanced.reports[rank].training_s);
  }
}

TEST_CASE("the draws are n_f = T·H_f·B·P_f and n_s = T·H_s·B·P_s, made by rank 0 alone") {
  const StrategyRun run = run_strategy("biased-local-sgd", two_fast_one_slow());

  for (const BiasedDraw& draw : run.learners[0].draws) {
    CHECK(draw.fast_samples == kRounds * kFastSteps * kBatch * 2);
    CHECK(draw.slow_samples == kRounds * kSlowSteps * kBatch * 1);
    CHECK(draw.alpha == 0.5);
    CHECK_FALSE(draw.high_loss_to_slow);
    CHECK_FALSE(draw.disjoint);
  }
  CHECK(run.learners[1].draws.empty());
  CHECK(run.learners[2].draws.empty());
}

TEST_CASE("all workers get rank 0's indices and their own part, fast workers' draws first") {
  for (const std::vector<bool>& is_fast : std::vector<std::vector<bool>>{
           {true, true, false}, {true, false, true}, {false, true, true}}) {
    CAPTURE(is_fast);

    const StrategyRun run = run_strategy("biased-local-sgd", job_of(is_fast));

    constexpr std::int64_t kFast = kRounds * kFastSteps * kBatch;
    constexpr std::int64_t kSlow = kRounds * kSlowSteps * kBatch;
    std::vector<float> indices(2 * kFast + kSlow);
    std::iota(indices.begin(), indices.end(), 0.0F);
    constexpr std::int64_t kFastRound = kFastSteps * kBatch;
    constexpr std::int64_t kSlowRound = kSlowSteps * kBatch;
    std::int64_t next_fast = 0;
    for (std::size_t rank = 0; rank < 3; ++rank) {
      const Share share = is_fast[rank] ? Share{next_fast, kFastRound, 2 * kFastRound, kRounds}
                                        : Share{2 * kFast, kSlowRound, kSlowRound, kRounds};
      if (is_fast[rank]) next_fast += kFastRound;
      CHECK(run.learners[rank].drawn == std::vector<Share>(kEpochs, share));
      CHECK(run.learners[rank].indices.back() == indices);
    }
  }
}

TEST_CASE("rank 0 gathers the losses of all samples trained on since the last draw") {
  const StrategyRun run = run_strategy("biased-local-sgd", two_fast_one_slow());

  const std::vector<std::vector<float>>& losses = run.learners[0].losses;
  REQUIRE(losses.size() == kEpochs);
  // Enough room, and nothing recorded before the first epoch: the draw is uniform.
  CHECK(losses[0] == std::vector<float>(losses[0].size(), -1.0F));
  for (std::size_t epoch = 1; epoch < kEpochs; ++epoch) {
    REQUIRE(losses[epoch].size() == 2 * kRounds * kBatch * (2 * kFastSteps + kSlowSteps));
    std::set<float> positions;
    for (std::size_t i = 0; i < losses[epoch].size(); i += 2) {
      positions.insert(losses[epoch][i]);
      CHECK(losses[epoch][i + 1] == 2 * losses[epoch][i]);  // a test's loss is twice the position
    }
    CHECK(positions.size() == losses[epoch].size() / 2);
    CHECK(*positions.rbegin() == static_cast<float>(positions.size() - 1));
  }
}

TEST_CASE("gathering losses and broadcasting indices takes time") {
  StrategyJob job = two_fast_one_slow();
  job.cost = {.alpha_s = 1, .beta_s_per_byte = 0};
  const StrategyRun drawn = run_strategy("biased-local-sgd", job);
  set(job.config, "sampling", "none");
  const StrategyRun shuffled = run_strategy("biased-local-sgd", job);

  CHECK(drawn.reports[0].training_s == Approx(shuffled.reports[0].training_s + kEpochs * 2));
}

TEST_CASE("high losses go to the slow workers if set, and alpha is passed on") {
  StrategyJob job = two_fast_one_slow();
  set(job.config, "high-loss-to", "slow");
  set(job.config, "alpha", "0.25");

  const StrategyRun run = run_strategy("biased-local-sgd", job);

  CHECK(run.learners[0].draws[0].high_loss_to_slow);
  CHECK(run.learners[0].draws[0].alpha == 0.25);
}

TEST_CASE("unified sampling draws disjoint sets and adds one synchronisation an epoch") {
  StrategyJob job = two_fast_one_slow();
  const std::size_t separated =
      run_strategy("biased-local-sgd", job).fabric.of(1, "barrier").size();
  set(job.config, "sampling", "unified");

  const StrategyRun unified = run_strategy("biased-local-sgd", job);

  CHECK(unified.learners[0].draws[0].disjoint);
  CHECK(unified.fabric.of(1, "barrier").size() == separated + kEpochs);
}

}  // namespace
}  // namespace epochcast::tests
