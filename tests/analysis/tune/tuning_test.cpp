// SPDX-License-Identifier: Apache-2.0
#include "analysis/tune/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/tune/prospects.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

constexpr LearningTarget kNinety = {.metric = Metric::accuracy, .value = 0.9};

using Fate = CandidateOutcome::Fate;

/// Candidates whose accuracy rises as 1 - exp(-rate · seconds), with some noise from seed to seed.
class Field {
 public:
  std::size_t add(const std::string& name, double epoch_s, double rate, double noise = 0) {
    candidates.push_back({.name = name, .epoch_s = epoch_s, .s_per_sample = epoch_s});
    candidates.back().family = candidates.size();
    rates_.push_back(rate);
    noises_.push_back(noise);
    return candidates.size() - 1;
  }

  void test_with(std::int64_t samples, std::int64_t classes) {
    for (Candidate& one : candidates) {
      one.test_samples = samples;
      one.classes = classes;
    }
  }

  [[nodiscard]] Tuning tuned(const TuningPlan& plan) {
    return tune(candidates, plan, [&](const std::vector<Trial>& trials, double until_s) {
      std::vector<Curve> curves;
      for (const Trial& trial : trials) {
        asked[trial.candidate] = until_s;
        curves.push_back(curve(trial.candidate, trial.seed, until_s, plan.goal));
      }
      return curves;
    });
  }

  std::vector<Candidate> candidates;
  std::map<std::size_t, double> asked;   ///< seconds, by candidate: the last time
  std::map<std::size_t, double> caps;    ///< accuracies that are never exceeded
  std::map<std::size_t, double> losses;  ///< by candidate, at any time; else falling
  bool is_of_language = false;           ///< perplexities exist, too
  bool is_classified = true;             ///< accuracies exist

 private:
  [[nodiscard]] Curve curve(std::size_t index, int seed, double until_s, const TuningGoal& goal) {
    if (rates_[index] < 0) return {};
    Curve curve;
    const double luck = 1 + noises_[index] * (seed % 2 == 0 ? 1 : -1) * (1 + 0.1 * seed);
    do {
      CurvePoint point;
      point.epoch = static_cast<std::int64_t>(curve.size()) + 1;
      point.training_s = static_cast<double>(point.epoch) * candidates[index].epoch_s;
      point.test_loss = losses.contains(index) ? losses.at(index)
                                               : std::exp(-rates_[index] * luck * point.training_s);
      if (is_classified)
        point.test_accuracy = 1 - std::exp(-rates_[index] * luck * point.training_s);
      if (caps.contains(index) && 1 - point.test_loss > caps.at(index)) {
        point.test_loss = 1 - caps.at(index);
        point.test_accuracy = caps.at(index);
      }
      if (is_of_language) point.test_perplexity = std::exp(point.test_loss);
      curve.push_back(point);
    } while (curve.back().training_s < until_s &&
             !(goal.target && goal.target->is_met(curve.back())));
    return curve;
  }

  std::vector<double> rates_;
  std::vector<double> noises_;
};

TEST_CASE("the fastest to the target wins, and hopeless candidates are given up early") {
  Field field;
  const std::size_t slow = field.add("slow", 1, 0.001);
  const std::size_t best = field.add("best", 1, 0.05, 0.01);
  const std::size_t good = field.add("good", 1, 0.02, 0.01);
  for (int i = 0; i < 6; ++i) field.add("slow too", 1, 0.001 * i);

  const Tuning tuning = field.tuned({.goal = {.target = kNinety, .most_s = 90}, .seeds = 3});

  REQUIRE(tuning.best == best);
  CHECK(tuning.verdict == Verdict::recommended);
  CHECK(*tuning.outcomes[best].mean == Approx(std::log(10) / 0.05).epsilon(0.02));
  CHECK(tuning.outcomes[best].curves.size() == 3);
  CHECK(tuning.outcomes[slow].fate == Fate::given_up);
  CHECK(field.asked[slow] < 3);
  CHECK(tuning.outcomes[good].fate == Fate::given_up);
  REQUIRE(tuning.outcomes[good].stretch);
  CHECK(*tuning.outcomes[good].stretch == Approx(2.5).epsilon(0.2));
  CHECK(tuning.outcomes[good].curves.size() == 1);
  CHECK_FALSE(tuning.runner_up);
  CHECK(tuning.rehearsed_s < 0.1 * tuning.exhaustive_s);
}

TEST_CASE("a curve is stretched by how long another one needs for the same loss") {
  const auto curve_of = [](double rate, int epochs) {
    Curve curve;
    for (int epoch = 1; epoch <= epochs; ++epoch)
      curve.push_back(
          {.epoch = epoch, .training_s = 1.0 * epoch, .test_loss = std::exp(-rate * epoch)});
    return curve;
  };
  CHECK(stretch_of(curve_of(0.1, 8), curve_of(0.2, 8), 1) == Approx(2).epsilon(0.02));
  CHECK(stretch_of(curve_of(0.1, 20), curve_of(0.2, 12), 1) == Approx(2).epsilon(0.02));
  CHECK(stretch_of(curve_of(0.2, 8), curve_of(0.1, 8), 1) == 0);  // the other one is not there yet
  // Of the time before the first test, only that something was learned is known.
  CHECK(stretch_of(curve_of(0.001, 1), curve_of(0.5, 1), 1) == Approx(2));
  // Losses that rise again do not count.
  Curve risen = curve_of(0.1, 8);
  risen.push_back({.epoch = 9, .training_s = 9, .test_loss = 5});
  CHECK(stretch_of(risen, curve_of(0.2, 8), 1) == Approx(2 * 9.0 / 8).epsilon(0.02));
}

TEST_CASE("a candidate is given up when it can hardly be better, not before") {
  Field field;
  const std::size_t best = field.add("best", 1, 0.05, 0.01);
  const std::size_t near = field.add("takes 1.2 times as long", 1, 0.05 / 1.2, 0.01);
  const std::size_t far = field.add("takes 3 times as long", 1, 0.05 / 3, 0.01);

  const Tuning tuning = field.tuned({.goal = {.target = kNinety, .most_s = 200}, .seeds = 3});

  CHECK(tuning.best == best);
  CHECK(field.asked[far] < 8);
  CHECK(tuning.outcomes[near].curves.size() >= 1);
  CHECK(field.asked[near] > 20);
}

TEST_CASE("where the one ahead fails in the end, those that were given up for it are back") {
  Field field;
  const std::size_t stuck = field.add("quick, but stuck at 70 %", 1, 0.2);
  const std::size_t best = field.add("best", 1, 0.05, 0.01);
  const std::size_t slow = field.add("slow", 1, 0.005, 0.01);
  field.caps = {{stuck, 0.7}};

  const Tuning tuning = field.tuned({.goal = {.target = kNinety, .most_s = 90}, .seeds = 3});

  CHECK(tuning.best == best);
  CHECK(tuning.outcomes[stuck].reason.find("not there after") != std::string::npos);
  CHECK(tuning.outcomes[best].curves.size() == 3);
  CHECK(tuning.outcomes[slow].fate == Fate::given_up);
}

TEST_CASE("with one seed, candidates are given up as with several") {
  Field field;
  for (int i = 0; i < 9; ++i) field.add("one", 1, 0.01 * (i + 1));

  const Tuning tuning = field.tuned({.goal = {.target = {}, .most_s = 9}, .seeds = 1});

  CHECK(tuning.best == 8);
  CHECK(field.asked[0] < 4);
  CHECK(field.asked[7] == Approx(9));
}

TEST_CASE(
    "a candidate that reaches the target after the end of a rung has not won it, however few its "
    "epochs") {
  Field field;
  const std::size_t slow = field.add("there in its first epoch", 60, 0.1);
  const std::size_t best = field.add("there after many", 1, 0.11);

  const Tuning tuning = field.tuned({.goal = {.target = kNinety, .most_s = 90}, .seeds = 3});

  CHECK(tuning.best == best);
  CHECK(tuning.outcomes[best].fate == Fate::finalist);
  CHECK(tuning.outcomes[slow].fate != Fate::diverged);
}

TEST_CASE("losses of a model may be below zero, and the lowest one wins") {
  Field field;
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
  Field field;
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
  Field field;
  const std::size_t close = field.add("a", 1, 0.018, 0.01);
  const std::size_t best = field.add("b", 1, 0.02, 0.01);
  const std::size_t usual = field.add("c", 1, 0.002, 0.01);
  field.candidates[usual].is_default = true;

  const Tuning tuning = field.tuned({.goal = {.target = {}, .most_s = 20}, .seeds = 3});

  CHECK(tuning.best == best);
  REQUIRE(tuning.runner_up == close);
  CHECK(*tuning.confidence > 0.999);  // a tenth more, and seeds differ by 1 %
  CHECK(*tuning.outcomes[best].mean == Approx(1 - std::exp(-0.4)).epsilon(0.02));
  CHECK(tuning.outcomes[usual].fate == Fate::given_up);  // the default, like any other
}

TEST_CASE("a seed that was given up counts as if it was at the target then") {
  Field field;
  const std::size_t best = field.add("there after 46 s", 1, 0.05, 0.01);
  const std::size_t late = field.add("there after 50 s", 1, 0.046, 0.01);

  const Tuning tuning = field.tuned({.goal = {.target = kNinety, .most_s = 90}, .seeds = 3});

  CHECK(tuning.best == best);
  REQUIRE(tuning.outcomes[late].curves.size() >= 2);
  REQUIRE(tuning.runner_up == late);
  CHECK(*tuning.confidence > 0.9);
}

TEST_CASE("two candidates that differ less than their seeds are kept, and reported as equal") {
  Field field;
  field.add("a", 1, 0.050, 0.08);
  field.add("b", 1, 0.051, -0.08);

  const Tuning tuning = field.tuned({.goal = {.target = kNinety, .most_s = 90}, .seeds = 4});

  REQUIRE(tuning.best);
  REQUIRE(tuning.runner_up);
  CHECK(*tuning.confidence < 0.95);
  CHECK(tuning.verdict == Verdict::no_difference);
}

TEST_CASE(
    "a candidate that averages more rarely and saves no time is not rehearsed, the default is") {
  Field field;
  const std::size_t often = field.add("every 1", 1, 0.05);
  const std::size_t rarely = field.add("every 4", 1, 0.05);
  const std::size_t usual = field.add("every 32", 1, 0.05);
  const std::size_t quick = field.add("every 8", 0.5, 0.06);
  const std::map<std::size_t, double> periods = {{often, 1}, {rarely, 4}, {usual, 32}, {quick, 8}};
  for (const auto& [index, period] : periods) {
    field.candidates[index].family = 0;
    field.candidates[index].period = period;
  }
  field.candidates[usual].is_default = true;

  const Tuning tuning = field.tuned({.goal = {.target = kNinety, .most_s = 90}, .seeds = 2});

  CHECK(tuning.outcomes[rarely].fate == Fate::dominated);
  CHECK(tuning.outcomes[rarely].reason == "every 1 averages more often and takes no longer");
  CHECK_FALSE(field.asked.contains(rarely));
  CHECK(field.asked.contains(often));
  CHECK(field.asked.contains(usual));
  CHECK(tuning.best == quick);
}

/// After ten seconds.
double rate_of(double accuracy) { return -std::log(1 - accuracy) / 10; }

TEST_CASE("accuracies within reach of guessing are no learning, even if they differ") {
  Field field;
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
  Field field;
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
  Field two;
  for (int i = 0; i < 2; ++i) two.add("one", 1, rate_of(0.132 + 1e-5));
  two.test_with(500, 10);
  Field six;
  for (int i = 0; i < 6; ++i) six.add("one", 1, rate_of(0.132 + 1e-5));
  six.test_with(500, 10);
  const TuningPlan plan = {.goal = {.target = {}, .most_s = 10}, .seeds = 3};

  CHECK(two.tuned(plan).verdict != Verdict::nothing_learned);
  CHECK(six.tuned(plan).verdict == Verdict::nothing_learned);
}

TEST_CASE("settings that seeds do not distinguish are not recommended") {
  Field field;
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
  Field field;
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
  Field field;
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
  Field field;
  field.add("a", 1, 0.001);
  const std::size_t diverged = field.add("b", 1, -1);

  const Tuning tuning = field.tuned({.goal = {.target = kNinety, .most_s = 9}, .seeds = 3});

  CHECK_FALSE(tuning.best);
  CHECK(tuning.outcomes[diverged].fate == Fate::diverged);
  CHECK(tuning.front.size() == 9);
  CHECK(tuning.front.back().seconds == Approx(9));
}

TEST_CASE("if all diverge, there is no winner") {
  Field field;
  field.add("a", 1, -1);
  field.add("b", 1, -1);

  const Tuning tuning = field.tuned({.goal = {.target = kNinety, .most_s = 9}, .seeds = 3});

  CHECK_FALSE(tuning.best);
  CHECK(tuning.front.empty());
}

TEST_CASE("no point of the Pareto front is dominated") {
  Field field;
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
