// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "tests/catch.hpp"
#include "tests/support/set.hpp"
#include "tests/support/strategy_run.hpp"

namespace epochcast::tests {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// P workers, B = 4, K = 12 iterations, or 3 rounds of H = 4.
StrategyJob workers(int count, const Settings& settings = {}) {
  StrategyJob job = {.workers = workers_on(std::vector<int>(static_cast<std::size_t>(count), 0)),
                     .config = small_config(4, 2),
                     .train_samples = 48 * count,
                     .work = {},
                     .cost = {.alpha_s = 1e-4, .beta_s_per_byte = 1e-9}};
  set(job.config, "local-steps", 4);
  for (const auto& [name, value] : settings) set(job.config, name, value);
  return job;
}

const Settings kPlainAverage = {{"outer-rate", "1"}, {"outer-momentum", "0"}};

TEST_CASE("diloco with outer rate 1 and without momentum is local-sgd, bit for bit") {
  for (const std::string compression : {"none", "fp16", "int8"}) {
    CAPTURE(compression);
    StrategyJob job = workers(3, kPlainAverage);
    job.config.compression = compression;
    const StrategyRun local = run_strategy("local-sgd", job);

    const StrategyRun outer = run_strategy("diloco", job);

    for (std::size_t rank = 0; rank < 3; ++rank) {
      CHECK(outer.learners[rank].parameters == local.learners[rank].parameters);
      CHECK(outer.learners[rank].starts == local.learners[rank].starts);
      CHECK(outer.learners[rank].shuffled == local.learners[rank].shuffled);
    }
  }
}

TEST_CASE("diloco on one worker with outer rate 1 and without momentum is sequential SGD") {
  const StrategyRun sync = run_strategy("sync", workers(1));

  for (const Settings& more : {Settings{}, Settings{{"fragments", "2"}}}) {
    Settings settings = kPlainAverage;
    settings.insert(settings.end(), more.begin(), more.end());
    const StrategyRun outer = run_strategy("diloco", workers(1, settings));
    CHECK(outer.learners[0].parameters == sync.learners[0].parameters);
  }
}

/// DiLoCo as its papers state it, on workers whose gradient j is (rank + 1)·(j + 1) in every step.
struct Textbook {
  double rate = 0.7;
  double momentum = 0.9;
  std::size_t fragments = 1;
  int delay = 0;
  double own_share = 0;

  std::vector<std::vector<double>> local = {};  ///< by worker
  std::vector<double> common = std::vector<double>(RecordingLearner::kGradients, 0.0);
  std::vector<double> velocity = std::vector<double>(RecordingLearner::kGradients, 0.0);
  std::vector<std::vector<double>> last_sent = {};

  void step() {
    for (std::size_t rank = 0; rank < local.size(); ++rank)
      for (std::size_t j = 0; j < common.size(); ++j)
        local[rank][j] -= static_cast<double>((rank + 1) * (j + 1));
  }
  /// The outer step on parameters [begin, end), from what the workers had at `sent`.
  void exchange(const std::vector<std::vector<double>>& sent,
                std::size_t begin,
                std::size_t end,
                double share) {
    for (std::size_t j = begin; j < std::min(end, common.size()); ++j) {
      double gradient = 0;
      for (const auto& own : sent)
        gradient += (common[j] - own[j]) / static_cast<double>(sent.size());
      velocity[j] = momentum * velocity[j] + gradient;
      common[j] -= rate * (gradient + momentum * velocity[j]);
      for (auto& own : local) own[j] = share * own[j] + (1 - share) * common[j];
    }
  }
  void train(int worker_count, int epochs, int rounds, int steps) {
    local.assign(static_cast<std::size_t>(worker_count), common);
    const std::size_t all = RecordingLearner::kParameters;
    for (int epoch = 0; epoch < epochs; ++epoch) {
      for (int t = 1; t <= rounds * steps; ++t) {
        step();
        const int in_part = steps / static_cast<int>(fragments);
        if (t % in_part == in_part - delay % in_part || delay == 0) last_sent = local;
        if (t % in_part != 0) continue;
        const std::size_t i = static_cast<std::size_t>(t / in_part - 1) % fragments;
        exchange(last_sent, all * i / fragments, all * (i + 1) / fragments, own_share);
      }
      const std::size_t unequal = own_share > 0 ? fragments : fragments - 1;
      const auto now = local;
      exchange(now, 0, all * unequal / fragments, 0);
    }
  }
};

void check_is_textbook(Textbook textbook, const Settings& settings) {
  StrategyJob job = workers(3, settings);
  job.work.gradient = [](int rank, std::int64_t) { return static_cast<float>(rank + 1); };

  const StrategyRun run = run_strategy("diloco", job);

  textbook.train(3, 2, 3, 4);
  for (const LearnerLog& learner : run.learners) {
    for (std::size_t j = 0; j < RecordingLearner::kGradients; ++j)
      CHECK(learner.parameters[j] == Approx(textbook.common[j]).epsilon(1e-5));  // float32
  }
}

TEST_CASE("diloco makes a Nesterov step on the mean of what workers have moved") {
  check_is_textbook({}, {});
  check_is_textbook({}, {{"fragments", "1"}, {"fragment-delay", "0"}, {"merge-weight", "0"}});
  check_is_textbook({.rate = 0.5, .momentum = 0.5},
                    {{"outer-rate", "0.5"}, {"outer-momentum", "0.5"}});
}

TEST_CASE("fragments are exchanged in turn, sent before and merged after the delay") {
  check_is_textbook({.fragments = 2}, {{"fragments", "2"}});
  check_is_textbook({.fragments = 4}, {{"fragments", "4"}});
  check_is_textbook({.fragments = 2, .delay = 1}, {{"fragments", "2"}, {"fragment-delay", "1"}});
  check_is_textbook({.delay = 3}, {{"fragment-delay", "3"}});
  check_is_textbook({.fragments = 2, .delay = 1, .own_share = 0.5},
                    {{"fragments", "2"}, {"fragment-delay", "1"}, {"merge-weight", "0.5"}});
}

TEST_CASE("diloco sends each fragment once a period, and all that differ at the end of an epoch") {
  const StrategyRun run =
      run_strategy("diloco", workers(2, {{"fragments", "2"}, {"fragment-delay", "1"}}));

  // Of 8 parameters 4; three periods an epoch, and the first fragment once more.
  CHECK(run.all_reduces(0, kParameterBytes / 2).size() == 2 * (3 * 2 + 1));
  CHECK(run.all_reduces(0, kParameterBytes).empty());
  CHECK(run.reports[0].rounds_per_epoch == 3);
  CHECK(run.reports[0].iterations_per_epoch == 12);
}

TEST_CASE("a delay hides the exchange behind computing") {
  StrategyJob job = workers(2, {{"fragment-delay", "2"}});
  job.cost = {.alpha_s = 0.006, .beta_s_per_byte = 0};  // of two steps of 4 ms
  const double exchange_s = 0.006;

  const StrategyRun delayed = run_strategy("diloco", job);
  set(job.config, "fragment-delay", 0);
  const StrategyRun waiting = run_strategy("diloco", job);

  CHECK(waiting.reports[0].training.exposed_communication_s >= 2 * 3 * exchange_s);
  CHECK(delayed.reports[0].training.exposed_communication_s == Approx(0).margin(1e-12));
  CHECK(delayed.reports[0].training_s < waiting.reports[0].training_s);
}

TEST_CASE("workers agree after every epoch, with compressed fragments of any number") {
  for (int count = 1; count <= 17; ++count) {
    for (const std::string compression : {"none", "int8", "topk", "powersgd"}) {
      CAPTURE(count, compression);
      StrategyJob job = workers(
          count, {{"fragments", "4"}, {"merge-weight", "0.5"}, {"compression", compression}});
      if (compression == "powersgd") set(job.config, "powersgd-start", 2);

      const StrategyRun run = run_strategy("diloco", job);

      for (const LearnerLog& learner : run.learners)
        CHECK(learner.parameters == run.learners[0].parameters);
    }
  }
}

TEST_CASE("fragments and delays that do not fit into the local steps are refused") {
  const auto check_of = [](const Settings& settings) {
    const StrategyJob job = workers(2, settings);
    find_strategy("diloco").check(job.config, DeviceNames(job.workers));
  };

  CHECK_NOTHROW(check_of({{"fragments", "4"}}));
  CHECK_THROWS_WITH(check_of({{"fragments", "5"}}),
                    "--fragments: got 5; fragments are exchanged one after the other in the 4 "
                    "steps of --local-steps");
  CHECK_THROWS_WITH(check_of({{"fragments", "2"}, {"fragment-delay", "2"}}),
                    "--fragment-delay: got 2; the next exchange begins after 2 steps "
                    "(--local-steps / --fragments); expected fewer");
}

}  // namespace
}  // namespace epochcast::tests
