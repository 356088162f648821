// SPDX-License-Identifier: Apache-2.0
#include "analysis/tune/tuning.hpp"

#include <cmath>

#include "tests/analysis/tune/candidate_field.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

TEST_CASE("losses of a model may be below zero, and the lowest one wins") {
  CandidateField field;
  const std::size_t low = field.add("low", 1, 0.2);
  const std::size_t lower = field.add("lower", 1, 0.2);
  field.losses = {{low, -1}, {lower, -3}};
  field.is_classified = false;

  const Tuning tuning = field.tuned({.goal = {.target = {}, .most_s = 20}, .seeds = 3});

  CHECK(tuning.metric == Metric::loss);
  REQUIRE(tuning.best == lower);
  CHECK(*tuning.outcomes[lower].mean == -3);
}

TEST_CASE("for language models the lowest perplexity wins, after a time or first at a target") {
  CandidateField field;
  field.is_of_language = true;
  const std::size_t slow = field.add("slow", 1, 0.02);
  const std::size_t best = field.add("best", 1, 0.2, 0.01);

  const Tuning budget = field.tuned({.goal = {.target = {}, .most_s = 20}, .seeds = 3});

  CHECK(budget.metric == Metric::perplexity);
  REQUIRE(budget.best);
  CHECK(*budget.best == best);
  CHECK(*budget.outcomes[best].mean == Approx(std::exp(std::exp(-4.0))).epsilon(0.01));
  for (std::size_t i = 1; i < budget.front.size(); ++i)
    CHECK(budget.front[i].value < budget.front[i - 1].value);

  const LearningTarget two = {.metric = Metric::perplexity, .value = 2};
  const Tuning race = field.tuned({.goal = {.target = two, .most_s = 90}, .seeds = 3});
  REQUIRE(race.best);
  CHECK(*race.best == best);
  CHECK(race.outcomes[slow].fate == CandidateOutcome::Fate::given_up);
}

TEST_CASE("within a time budget the most accurate candidate wins") {
  CandidateField field;
  const std::size_t close = field.add("a", 1, 0.018, 0.01);
  const std::size_t best = field.add("b", 1, 0.02, 0.01);
  const std::size_t usual = field.add("c", 1, 0.002, 0.01);
  field.candidates[usual].is_default = true;

  const Tuning tuning = field.tuned({.goal = {.target = {}, .most_s = 20}, .seeds = 3});

  CHECK(tuning.best == best);
  REQUIRE(tuning.runner_up == close);
  CHECK(*tuning.confidence > 0.999);  // a tenth more, and seeds differ by 1 %
  CHECK(*tuning.outcomes[best].mean == Approx(1 - std::exp(-0.4)).epsilon(0.02));
  CHECK(tuning.outcomes[usual].fate ==
        CandidateOutcome::Fate::given_up);  // the default, like any other
}

TEST_CASE("a seed that was given up counts as if it was at the target then") {
  CandidateField field;
  const std::size_t best = field.add("there after 46 s", 1, 0.05, 0.01);
  const std::size_t late = field.add("there after 50 s", 1, 0.046, 0.01);

  const Tuning tuning = field.tuned({.goal = {.target = kNinety, .most_s = 90}, .seeds = 3});

  CHECK(tuning.best == best);
  REQUIRE(tuning.outcomes[late].curves.size() >= 2);
  REQUIRE(tuning.runner_up == late);
  CHECK(*tuning.confidence > 0.9);
}

TEST_CASE("two candidates that differ less than their seeds are kept, and reported as equal") {
  CandidateField field;
  field.add("a", 1, 0.050, 0.08);
  field.add("b", 1, 0.051, -0.08);

  const Tuning tuning = field.tuned({.goal = {.target = kNinety, .most_s = 90}, .seeds = 4});

  REQUIRE(tuning.best);
  REQUIRE(tuning.runner_up);
  CHECK(*tuning.confidence < 0.95);
  CHECK(tuning.verdict == Verdict::no_difference);
}

/// After ten seconds.
double rate_of(double accuracy) { return -std::log(1 - accuracy) / 10; }

TEST_CASE("accuracies within reach of guessing are no learning, even if they differ") {
  CandidateField field;
  field.add("below chance", 1, rate_of(0.05), 0.01);
  const std::size_t best = field.add("nearer to it", 1, rate_of(0.081), 0.01);
  field.test_with(500, 10);

  const Tuning tuning = field.tuned({.goal = {.target = {}, .most_s = 10}, .seeds = 3});

  CHECK(tuning.verdict == Verdict::nothing_learned);
  CHECK(tuning.best == best);
  REQUIRE(tuning.chance);
  CHECK(tuning.chance->candidate == best);
  CHECK(tuning.chance->accuracy == Approx(0.081).epsilon(0.01));
  CHECK(tuning.chance->p == 1);

  field.test_with(500, 1000);
  CHECK(field.tuned({.goal = {.target = {}, .most_s = 10}, .seeds = 3}).verdict ==
        Verdict::recommended);
  field.test_with(500, 0);  // of no classes: there is no level of chance
  CHECK_FALSE(field.tuned({.goal = {.target = {}, .most_s = 10}, .seeds = 3}).chance);
}

TEST_CASE("a target below chance is reached without learning") {
  CandidateField field;
  field.add("a", 1, rate_of(0.05), 0.01);
  field.add("b", 1, rate_of(0.02), 0.01);
  field.test_with(500, 10);
  const LearningTarget low = {.metric = Metric::accuracy, .value = 0.04};

  const Tuning tuning = field.tuned({.goal = {.target = low, .most_s = 10}, .seeds = 3});

  CHECK(tuning.best);
  CHECK(tuning.verdict == Verdict::nothing_learned);
}

TEST_CASE("of many settings one is above chance by chance") {
  // 66 of 500: guessing reaches that with a probability of 1.3 %.
  CandidateField two;
  for (int i = 0; i < 2; ++i) two.add("one", 1, rate_of(0.132 + 1e-5));
  two.test_with(500, 10);
  CandidateField six;
  for (int i = 0; i < 6; ++i) six.add("one", 1, rate_of(0.132 + 1e-5));
  six.test_with(500, 10);
  const TuningPlan plan = {.goal = {.target = {}, .most_s = 10}, .seeds = 3};

  CHECK(two.tuned(plan).verdict != Verdict::nothing_learned);
  CHECK(six.tuned(plan).verdict == Verdict::nothing_learned);
}

TEST_CASE("settings that seeds do not distinguish are not recommended") {
  CandidateField field;
  const std::size_t a = field.add("a", 1, 0.050, 0.1);
  const std::size_t b = field.add("b", 1, 0.051, -0.1);
  field.add("worse", 1, 0.01, 0.01);

  const Tuning tuning = field.tuned({.goal = {.target = {}, .most_s = 10}, .seeds = 4});

  CHECK(tuning.verdict == Verdict::no_difference);
  REQUIRE(tuning.best);
  CHECK(tuning.tied == std::vector<std::size_t>{*tuning.best == a ? b : a});
  CHECK(tuning.runner_up == tuning.tied.front());
}

TEST_CASE("with one seed, the test samples decide whether settings differ") {
  CandidateField field;
  const std::size_t best = field.add("best", 1, rate_of(0.60));
  const std::size_t next = field.add("next", 1, rate_of(0.57));
  field.add("far", 1, rate_of(0.30));
  field.candidates.back().is_default = true;
  const TuningPlan plan = {.goal = {.target = {}, .most_s = 10}, .seeds = 1};

  field.test_with(300, 10);
  const Tuning few = field.tuned(plan);
  CHECK(few.verdict == Verdict::no_difference);
  CHECK(few.best == best);
  CHECK(few.tied == std::vector<std::size_t>{next});
  // It is given up after 1.1 s, at 9 % while the best one is at 10 %.
  field.test_with(20'000, 10);
  CHECK(field.tuned(plan).verdict == Verdict::recommended);

  // Only accuracies are of countable samples.
  field.is_classified = false;
  CHECK(field.tuned(plan).verdict == Verdict::no_difference);
}

TEST_CASE(
    "with a target, the Pareto front ends with the time, and seeds at the target are counted") {
  CandidateField field;
  const std::size_t some = field.add("some seeds are there", 1, 0.250, 0.2);
  field.add("its epoch ends too late", 12, 0.4, 0.01);
  field.candidates.back().is_default = true;

  const Tuning tuning = field.tuned({.goal = {.target = kNinety, .most_s = 10}, .seeds = 2});

  CHECK(tuning.verdict == Verdict::not_reached);
  CHECK(tuning.outcomes[some].seeds_there == 1);
  REQUIRE_FALSE(tuning.front.empty());
  for (const FrontPoint& point : tuning.front) {
    CHECK(point.seconds <= 10);
    CHECK(point.candidate == some);
  }
}

TEST_CASE("an unreached target has no winner, and diverged seeds do not count") {
  CandidateField field;
  field.add("a", 1, 0.001);
  const std::size_t diverged = field.add("b", 1, -1);

  const Tuning tuning = field.tuned({.goal = {.target = kNinety, .most_s = 9}, .seeds = 3});

  CHECK_FALSE(tuning.best);
  CHECK(tuning.outcomes[diverged].fate == CandidateOutcome::Fate::diverged);
  CHECK(tuning.front.size() == 9);
  CHECK(tuning.front.back().seconds == Approx(9));
}

TEST_CASE("if all diverge, there is no winner") {
  CandidateField field;
  field.add("a", 1, -1);
  field.add("b", 1, -1);

  const Tuning tuning = field.tuned({.goal = {.target = kNinety, .most_s = 9}, .seeds = 3});

  CHECK_FALSE(tuning.best);
  CHECK(tuning.front.empty());
}

TEST_CASE("no point of the Pareto front is dominated") {
  CandidateField field;
  field.add("quick to learn a little", 1, 0.02);
  field.add("slow epochs", 10, 0.2);
  field.add("as fast, and beaten", 10, 0.1);
  field.add("as fast, and better", 10, 0.3);

  const Tuning tuning = field.tuned({.goal = {.target = {}, .most_s = 30}, .seeds = 1});

  REQUIRE(tuning.front.size() > 2);
  for (std::size_t i = 1; i < tuning.front.size(); ++i) {
    CHECK(tuning.front[i].seconds > tuning.front[i - 1].seconds);
    CHECK(tuning.front[i].value > tuning.front[i - 1].value);
  }
}

}  // namespace
}  // namespace epochcast::tests
