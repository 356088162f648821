// SPDX-License-Identifier: Apache-2.0
#include "strategies/period_rule.hpp"

#include "core/job/setting_table.hpp"
#include "strategies/settings.hpp"
#include "tests/catch.hpp"
#include "tests/support/set.hpp"
#include "tests/support/strategy_run.hpp"

namespace epochcast::tests {
namespace {

using Steps = std::vector<std::int64_t>;

/// Two workers, B = 4, N = 160: an epoch of K = 20 steps; H = 3 at first.
StrategyJob two_workers(std::int64_t epochs, const std::string& rule) {
  StrategyJob job = {.workers = fast_and_slow({true, true}),
                     .config = small_config(4, epochs),
                     .train_samples = 160,
                     .work = {},
                     .cost = {}};
  set(job.config, "local-steps", 3);
  set(job.config, "averaging-period", 3);
  set(job.config, "period-rule", rule);
  return job;
}

/// Learning rates of 0.4, 0.2, 0.1 and 0.05 in epochs 0 to 3.
LearningRateSchedule halving() {
  return {.kind = LearningRateKind::multi_step, .base = 0.4, .milestones = {1, 2, 3}, .decay = 0.5};
}

Steps made_steps(const StrategyRun& run, std::size_t rank = 0) {
  Steps steps;
  for (const LocalTraining& local : run.learners[rank].local) steps.push_back(local.steps);
  return steps;
}

const Steps kQsrSteps = {3,
                         3,
                         3,
                         3,
                         3,
                         3,
                         2,  // max(3, 1)
                         4,
                         4,
                         4,
                         4,
                         4,  // (0.4/0.2)² = 4
                         16,
                         4,    // 16
                         20};  // 64, but an epoch has 20
const Steps kStlSteps = {3,
                         3,
                         3,
                         3,
                         3,
                         3,
                         2,  //
                         6,
                         6,
                         6,
                         2,  //
                         12,
                         8,    //
                         20};  // 24, but an epoch has 20

TEST_CASE("qsr averages every max(H, (alpha/rate)²) steps, and at the end of an epoch") {
  StrategyJob job = two_workers(4, "qsr");
  job.config.learning.rate = halving();
  set(job.config, "qsr-alpha", "0.4");
  for (const std::string strategy : {"local-sgd", "slowmo", "diloco"}) {
    CAPTURE(strategy);
    const StrategyRun run = run_strategy(strategy, job);

    CHECK(made_steps(run) == kQsrSteps);
    CHECK(run.all_reduces(0, kParameterBytes).size() == kQsrSteps.size());
    CHECK(run.reports[0].iterations_per_epoch == 20);
    CHECK(run.reports[0].rounds_per_epoch == (7 + 5 + 2 + 1) / 4);
    CHECK(run.reports[0].local_steps == 4 * 20 / (7 + 5 + 2 + 1));
  }
}

TEST_CASE("stl-sgd doubles the steps when the rate is halved") {
  StrategyJob job = two_workers(4, "stl-sgd");
  job.config.learning.rate = halving();

  CHECK(made_steps(run_strategy("local-sgd", job)) == kStlSteps);
}

TEST_CASE("periods follow a cosine, and not its warm-up") {
  StrategyJob job = two_workers(4, "qsr");
  set(job.config, "qsr-alpha", "0.1");
  job.config.learning.rate = {.kind = LearningRateKind::cosine, .base = 0.1};
  // (1 + cos(pi e / 4)) / 2 is 1, 0.854, 0.5 and 0.146: squares of the inverses 1, 1.4, 4, 46.6.
  CHECK(made_steps(run_strategy("local-sgd", job)) ==
        Steps{3, 3, 3, 3, 3, 3, 2, 3, 3, 3, 3, 3, 3, 2, 4, 4, 4, 4, 4, 20});

  job = two_workers(3, "stl-sgd");
  job.config.learning.rate = halving();
  job.config.learning.rate.milestones = {2};
  job.config.learning.rate.warmup = 2;
  CHECK(made_steps(run_strategy("local-sgd", job)) ==
        Steps{3, 3, 3, 3, 3, 3, 2, 3, 3, 3, 3, 3, 3, 2, 6, 6, 6, 2});
}

TEST_CASE("a learning rate of 0 gives the longest period") {
  for (const std::string rule : {"qsr", "stl-sgd"}) {
    StrategyJob job = two_workers(2, rule);
    job.config.learning.rate = {
        .kind = LearningRateKind::multi_step, .base = 0.1, .milestones = {1}, .decay = 0};

    CHECK(made_steps(run_strategy("local-sgd", job)).back() == 20);
  }
}

TEST_CASE("adacomm averages every ceil(H·sqrt(F_(e-1)/F_0)) steps; without losses every H") {
  StrategyJob job = two_workers(4, "adacomm");
  set(job.config, "local-steps", 8);
  job.work.loss_sum = [](int rank, std::int64_t epoch) -> LossSum {
    // Means of both workers: 4, 1, 0.3.
    const double mean = epoch == 0 ? 4 : epoch == 1 ? 1 : 0.3;
    return {.sum = 10 * (rank == 0 ? 2 * mean : 0), .samples = 10};
  };
  for (const std::string strategy : {"local-sgd", "slowmo", "diloco"}) {
    CAPTURE(strategy);
    const StrategyRun run = run_strategy(strategy, job);

    // sqrt(1/4)·8 = 4, sqrt(0.3/4)·8 = 2.19.
    CHECK(made_steps(run) == Steps{8, 8, 4, 8, 8, 4, 4, 4, 4, 4, 4, 3, 3, 3, 3, 3, 3, 2});
    CHECK(run.reports[1].rounds_per_epoch == 18 / 4);
  }

  job.work.loss_sum = TestWork().loss_sum;
  CHECK(made_steps(run_strategy("local-sgd", job)) == Steps{8, 8, 4, 8, 8, 4, 8, 8, 4, 8, 8, 4});
  CHECK(period_note(job.config, find_strategy("local-sgd")) ==
        "--period-rule adacomm: the loss is unknown here, so the period stays as it begins; "
        "training averages more often as the loss falls");
  CHECK(period_note(job.config, find_strategy("sync")).empty());
}

TEST_CASE("a rule that leaves H alone is none, bit for bit, if rounds fill the epoch") {
  for (const std::string strategy : {"local-sgd",
                                     "unbalanced-local-sgd",
                                     "biased-local-sgd",
                                     "post-local-sgd",
                                     "node-based",
                                     "slowmo",
                                     "diloco"}) {
    CAPTURE(strategy);
    StrategyJob job = two_workers(3, "constant");
    set(job.config, "local-steps", 4);
    const StrategyRun constant = run_strategy(strategy, job);
    set(job.config, "period-rule", "qsr");
    set(job.config, "qsr-alpha", "0.1");

    const StrategyRun ruled = run_strategy(strategy, job);

    CHECK(ruled.learners[1].parameters == constant.learners[1].parameters);
    CHECK(ruled.learners[1].shuffled == constant.learners[1].shuffled);
    CHECK(ruled.reports[1].samples_per_epoch == constant.reports[1].samples_per_epoch);
    CHECK(ruled.reports[1].local_steps == constant.reports[1].local_steps);
  }
}

TEST_CASE("node-based averages nodes by the rule, post-local-sgd from its epoch on") {
  StrategyJob job = two_workers(4, "stl-sgd");
  job.config.learning.rate = halving();
  job.workers = workers_on({0, 1});

  const StrategyRun nodes = run_strategy("node-based", job);
  set(job.config, "local-from", 2);
  const StrategyRun later = run_strategy("post-local-sgd", job);

  CHECK(nodes.all_reduces(0, kParameterBytes).size() == 7 + 4 + 2 + 1);
  CHECK(nodes.reports[0].rounds_per_epoch == (7 + 4 + 2 + 1) / 4);
  CHECK(made_steps(later) == Steps{12, 8, 20});
  CHECK(later.all_reduces(0, kGradientBytes).size() == 2 * 20);
}

TEST_CASE("slower workers make their share of the steps of each epoch's period") {
  StrategyJob job = two_workers(3, "stl-sgd");
  job.workers = fast_and_slow({true, false});
  job.work = proportional_work({0.001, 0.002});
  job.config.learning.rate = halving();

  const StrategyRun run = run_strategy("unbalanced-local-sgd", job);

  CHECK(made_steps(run, 0) == Steps{3, 3, 3, 3, 3, 3, 6, 6, 6, 12});
  CHECK(made_steps(run, 1) == Steps{1, 1, 1, 1, 1, 1, 3, 3, 3, 6});
  CHECK(run.reports[1].samples_per_epoch == 4 * (6 + 9 + 6) / 3);
}

TEST_CASE("a period that cannot change is refused") {
  StrategyJob job = two_workers(3, "qsr");
  const auto check = [&](const char* strategy) {
    find_strategy(strategy).check(job.config, DeviceNames(job.workers));
  };
  CHECK_NOTHROW(check("node-based"));
  job.config.of_strategies.erase("averaging-period");
  CHECK_THROWS_WITH(check("node-based"),
                    "--period-rule: node-based needs an --averaging-period that can grow; the "
                    "default, an epoch, is the longest");
  set(job.config, "local-steps", "fast=8,slow=2");
  CHECK_THROWS_WITH(check("unbalanced-local-sgd"),
                    "--period-rule: changes one number of steps; expected --local-steps without "
                    "names, whose steps are constant");

  job = two_workers(100'001, "qsr");
  CHECK_THROWS_WITH(run_strategy("local-sgd", job),
                    "--period-rule: got 100001 epochs, whose periods are listed; expected at most "
                    "100000");
}

TEST_CASE("settings of learning rates count in forecasts whose period follows them") {
  JobConfig config;
  CHECK_THROWS_WITH(
      all_settings().check_counts_in(config, "schedule", Command::simulate, "--schedule"),
      "--schedule: counts in simulate with --period-rule qsr or stl-sgd only");
  CHECK_NOTHROW(all_settings().check_counts_in(config, "schedule", Command::train, "--schedule"));
  const auto is_shown = [&] {
    const auto texts = all_settings().texts(config, in(Command::simulate));
    return std::ranges::find(texts, "learning-rate", &SettingText::name) != texts.end();
  };
  CHECK_FALSE(is_shown());

  set(config, "period-rule", "stl-sgd");

  CHECK_NOTHROW(
      all_settings().check_counts_in(config, "schedule", Command::simulate, "--schedule"));
  CHECK(is_shown());
}

}  // namespace
}  // namespace epochcast::tests
