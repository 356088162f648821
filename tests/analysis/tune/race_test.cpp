// SPDX-License-Identifier: Apache-2.0
// Which candidates tune() gives up, and when.
#include <cmath>
#include <map>

#include "analysis/tune/prospects.hpp"
#include "tests/analysis/tune/candidate_field.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

using Fate = CandidateOutcome::Fate;

TEST_CASE("the fastest to the target wins, and hopeless candidates are given up early") {
  CandidateField field;
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
  CandidateField field;
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
  CandidateField field;
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
  CandidateField field;
  for (int i = 0; i < 9; ++i) field.add("one", 1, 0.01 * (i + 1));

  const Tuning tuning = field.tuned({.goal = {.target = {}, .most_s = 9}, .seeds = 1});

  CHECK(tuning.best == 8);
  CHECK(field.asked[0] < 4);
  CHECK(field.asked[7] == Approx(9));
}

TEST_CASE(
    "a candidate that reaches the target after the end of a rung has not won it, however few its "
    "epochs") {
  CandidateField field;
  const std::size_t slow = field.add("there in its first epoch", 60, 0.1);
  const std::size_t best = field.add("there after many", 1, 0.11);

  const Tuning tuning = field.tuned({.goal = {.target = kNinety, .most_s = 90}, .seeds = 3});

  CHECK(tuning.best == best);
  CHECK(tuning.outcomes[best].fate == Fate::finalist);
  CHECK(tuning.outcomes[slow].fate != Fate::diverged);
}

TEST_CASE(
    "a candidate that averages more rarely and saves no time is not rehearsed, the default is") {
  CandidateField field;
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

}  // namespace
}  // namespace epochcast::tests
