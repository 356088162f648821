// SPDX-License-Identifier: Apache-2.0
#include "analysis/choose/choice.hpp"

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

constexpr LearningTarget kTarget = {.metric = Metric::accuracy, .value = 0.5};

/// Reaches an accuracy of 50 % after so many seconds, and 10 samples in each of them.
Curve reaching_after(double seconds) {
  return {{.epoch = 1, .training_s = seconds, .samples = 10 * seconds, .test_accuracy = 0.5}};
}

ChoiceOption option(const std::string& name, const std::vector<double>& seconds) {
  ChoiceOption made = {.cluster = "c", .job = name};
  for (const double one : seconds) made.learned.curves.push_back(reaching_after(one));
  return made;
}

ChoiceOption never(const std::string& name) {
  ChoiceOption made = {.cluster = "c", .job = name};
  made.learned.curves = {{{.epoch = 1, .training_s = 1, .samples = 10, .test_accuracy = 0.3}}};
  return made;
}

std::vector<std::size_t> order_of(const Choice& choice) {
  std::vector<std::size_t> order;
  for (const RankedOption& one : choice.ranked) order.push_back(one.option);
  return order;
}

TEST_CASE(
    "options are in the order of their time, those that reach the target with every seed first") {
  std::vector<ChoiceOption> options = {
      option("slow", {5, 6}), option("fast", {2, 3}), never("never"), option("half", {1})};
  options[3].learned.curves.push_back(never("").learned.curves[0]);
  const Choice choice = choose(options, kTarget, ChoiceGoal::time);
  CHECK(order_of(choice) == std::vector<std::size_t>{1, 0, 3, 2});
  CHECK(choice.is_found());
  CHECK(choice.ranked[0].seconds->mean == 2.5);
  CHECK(choice.ranked[0].samples->mean == 25);
  CHECK(choice.ranked[2].reached == 1);
}

TEST_CASE("the interval of a mean is that of Student's t") {
  const SeededMean mean = seeded_mean({1, 2, 3});
  CHECK(mean.mean == 2);
  // t of 2 degrees of freedom at 97.5 %: 4.303; standard error: 1 / sqrt(3).
  CHECK((*mean.interval)[1] - 2 == Approx(4.302653 / std::sqrt(3.0)));
  CHECK_FALSE(seeded_mean({1}).interval);
}

TEST_CASE("a cheaper cluster wins by cost, and both are on the front") {
  std::vector<ChoiceOption> options = {
      option("dear", {2, 2}), option("cheap", {3, 3}), option("bad", {4, 4})};
  options[0].learned.running.price = Price{.per_hour = 3600, .currency = "EUR"};
  options[1].learned.running.price = Price{.per_hour = 360, .currency = "EUR"};
  options[2].learned.running.price = Price{.per_hour = 3600, .currency = "EUR"};
  CHECK(order_of(choose(options, kTarget, ChoiceGoal::time)).front() == 0);
  const Choice by_cost = choose(options, kTarget, ChoiceGoal::cost);
  CHECK(order_of(by_cost) == std::vector<std::size_t>{1, 0, 2});
  CHECK(by_cost.ranked[0].cost->mean == Approx(0.3));
  CHECK(by_cost.ranked[0].is_on_front);
  CHECK(by_cost.ranked[1].is_on_front);
  CHECK_FALSE(by_cost.ranked[2].is_on_front);
  CHECK_THAT(
      problems_of([&] { static_cast<void>(choose(options, kTarget, ChoiceGoal::energy)); }).at(0),
      Catch::Contains("no platform has the power"));
}

TEST_CASE("options without a significant difference from the first may be first") {
  const std::vector<ChoiceOption> options = {option("first", {10, 20, 30}),
                                             option("as good", {11, 19, 31}),
                                             option("worse", {20, 30, 41})};
  const Choice choice = choose(options, kTarget, ChoiceGoal::time);
  CHECK(choice.ranked[0].may_be_first);
  CHECK(choice.ranked[1].may_be_first);
  CHECK_FALSE(choice.ranked[2].may_be_first);
  const std::string text = answer_text(options, choice, kTarget, ChoiceGoal::time);
  CHECK_THAT(text, Catch::Contains("first on c: accuracy 50.0 % after 20.0 s"));
  CHECK_THAT(text, Catch::Contains("Without a significant difference in time: as good on c."));
  CHECK_THAT(text, !Catch::Contains("worse"));
}

TEST_CASE("without an option at the target, the answer says how far the best came") {
  const std::vector<ChoiceOption> options = {never("never")};
  const Choice choice = choose(options, kTarget, ChoiceGoal::time);
  CHECK_FALSE(choice.is_found());
  CHECK(answer_text(options, choice, kTarget, ChoiceGoal::time) ==
        "None reaches accuracy 50.0 %; the best came to 30.0 % (never on c).");
  CHECK(
      choice_json(options, choice, kTarget, ChoiceGoal::time)["options"][0]["target_s"].is_null());
}

}  // namespace
}  // namespace epochcast::tests
