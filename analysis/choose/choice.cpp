// SPDX-License-Identifier: Apache-2.0
#include "analysis/choose/choice.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "analysis/tune/seed_statistics.hpp"
#include "base/error.hpp"
#include "base/statistics/pareto_front.hpp"
#include "base/statistics/spread.hpp"
#include "base/text/units.hpp"

namespace epochcast {
namespace {

constexpr double kConfidence = 0.95;

using Quantity = std::optional<SeededMean> RankedOption::*;

Quantity quantity_of(ChoiceGoal goal) {
  switch (goal) {
    case ChoiceGoal::time:
      break;
    case ChoiceGoal::cost:
      return &RankedOption::cost;
    case ChoiceGoal::energy:
      return &RankedOption::joules;
  }
  return &RankedOption::seconds;
}

/// Of the seeds that reached the target.
std::vector<double> reached_by(const SeededCurves& learned,
                               const LearningTarget& target,
                               std::optional<double> (*figure)(const Curve&,
                                                               const LearningTarget&)) {
  std::vector<double> values;
  for (const Curve& curve : learned.curves) {
    if (const auto value = figure(curve, target)) values.push_back(*value);
  }
  return values;
}

SeededMean scaled(const SeededMean& mean, double factor) {
  SeededMean product = {.mean = factor * mean.mean};
  if (mean.interval)
    product.interval = {factor * (*mean.interval)[0], factor * (*mean.interval)[1]};
  return product;
}

RankedOption measured(const ChoiceOption& option, std::size_t place, const LearningTarget& target) {
  RankedOption ranked = {.option = place};
  const std::vector<double> seconds = reached_by(option.learned, target, seconds_to);
  ranked.reached = seconds.size();
  if (seconds.empty()) return ranked;
  ranked.seconds = seeded_mean(seconds);
  ranked.samples = seeded_mean(reached_by(option.learned, target, samples_to));
  const RunningCosts& running = option.learned.running;
  if (running.price) ranked.cost = scaled(*ranked.seconds, running.price->of(1));
  if (running.power_w) ranked.joules = scaled(*ranked.seconds, *running.power_w);
  return ranked;
}

void mark_front(Choice& choice, const std::vector<ChoiceOption>& options) {
  std::vector<std::size_t> places;
  std::vector<TimeAndCost> costs;
  for (std::size_t i = 0; i < choice.ranked.size(); ++i) {
    const RankedOption& ranked = choice.ranked[i];
    if (!ranked.cost) continue;
    places.push_back(i);
    costs.push_back({.kind = options[ranked.option].learned.running.price->currency,
                     .time_s = ranked.seconds->mean,
                     .cost = ranked.cost->mean});
  }
  for (const std::size_t best : pareto_front(costs)) choice.ranked[places[best]].is_on_front = true;
}

/// By seed; a seed that has not reached the target counts as reaching it when its curve ends.
std::vector<double> seconds_by_seed(const SeededCurves& learned, const LearningTarget& target) {
  std::vector<double> values;
  for (const Curve& curve : learned.curves)
    values.push_back(seconds_to(curve, target).value_or(curve.back().training_s));
  return values;
}

/// The cost of a second of the option, in the goal's unit.
double rate_of(const RunningCosts& running, ChoiceGoal goal) {
  if (goal == ChoiceGoal::cost) return running.price ? running.price->of(1) : 0;
  if (goal == ChoiceGoal::energy) return running.power_w.value_or(0);
  return 1;
}

void mark_equals(Choice& choice,
                 const std::vector<ChoiceOption>& options,
                 const LearningTarget& target,
                 ChoiceGoal goal) {
  const auto values = [&](const RankedOption& ranked) {
    const SeededCurves& learned = options[ranked.option].learned;
    std::vector<double> all = seconds_by_seed(learned, target);
    for (double& value : all) value *= rate_of(learned.running, goal);
    return all;
  };
  const std::vector<double> first = values(choice.ranked.front());
  for (RankedOption& ranked : choice.ranked) {
    if (ranked.reached == 0) break;
    const std::vector<double> others = values(ranked);
    ranked.may_be_first =
        &ranked == &choice.ranked.front() || (others.size() == first.size() && first.size() > 1 &&
                                              confidence_of_more(others, first) < kConfidence);
  }
}

std::string name_of(const ChoiceOption& option) { return option.job + " on " + option.cluster; }

std::string interval_text(const SeededMean& mean, std::string (*format)(double)) {
  if (!mean.interval) return "";
  return " (95 % interval: " + format((*mean.interval)[0]) + " to " + format((*mean.interval)[1]) +
         ")";
}

std::string seconds_text(double seconds) { return format_seconds(seconds); }

/// Of options that did not reach the target: the best value of any seed.
std::string furthest_text(const std::vector<ChoiceOption>& options, const LearningTarget& target) {
  const ChoiceOption* best = nullptr;
  double value = std::numeric_limits<double>::quiet_NaN();
  for (const ChoiceOption& option : options) {
    for (const Curve& curve : option.learned.curves) {
      const double of_curve = value_of(best_of(curve, target.metric), target.metric)
                                  .value_or(std::numeric_limits<double>::quiet_NaN());
      if (best != nullptr && !is_better(target.metric, of_curve, value)) continue;
      best = &option;
      value = of_curve;
    }
  }
  if (best == nullptr) return "";
  return "; the best came to " + metric_text(target.metric, value) + " (" + name_of(*best) + ")";
}

/// The options that may be first, without the first one.
std::string equals_text(const std::vector<ChoiceOption>& options, const Choice& choice) {
  constexpr std::size_t kMost = 3;
  std::string text;
  std::size_t count = 0;
  for (const RankedOption& ranked : choice.ranked) {
    if (&ranked == &choice.ranked.front() || !ranked.may_be_first) continue;
    if (++count <= kMost) text += (text.empty() ? "" : "; ") + name_of(options[ranked.option]);
  }
  if (count > kMost) text += fmt::format("; and {} more", count - kMost);
  return text;
}

nlohmann::ordered_json json_of(const std::optional<SeededMean>& mean) {
  if (!mean) return nullptr;
  nlohmann::ordered_json json = {{"mean", mean->mean}, {"interval", nullptr}};
  if (mean->interval) json["interval"] = *mean->interval;
  return json;
}

}  // namespace

std::string_view to_string(ChoiceGoal goal) {
  switch (goal) {
    case ChoiceGoal::time:
      break;
    case ChoiceGoal::cost:
      return "cost";
    case ChoiceGoal::energy:
      return "energy";
  }
  return "time";
}

SeededMean seeded_mean(const std::vector<double>& values) {
  SeededMean mean = {.mean = mean_of(values)};
  if (values.size() < 2) return mean;
  const auto count = static_cast<double>(values.size());
  const boost::math::students_t distribution(count - 1);
  const double half = boost::math::quantile(distribution, (1 + kConfidence) / 2) *
                      deviation_of(values) / std::sqrt(count);
  mean.interval = {std::max(0.0, mean.mean - half), mean.mean + half};
  return mean;
}

Choice choose(const std::vector<ChoiceOption>& options,
              const LearningTarget& target,
              ChoiceGoal goal) {
  Choice choice;
  for (std::size_t i = 0; i < options.size(); ++i)
    choice.ranked.push_back(measured(options[i], i, target));
  const Quantity quantity = quantity_of(goal);
  const bool is_reached =
      std::ranges::any_of(choice.ranked, [](const RankedOption& one) { return one.reached > 0; });
  if (is_reached && std::ranges::none_of(choice.ranked, [&](const RankedOption& one) {
        return (one.*quantity).has_value();
      })) {
    throw UserError("--by: no platform has " + std::string(goal == ChoiceGoal::cost
                                                               ? "a price for its nodes"
                                                               : "the power of its devices"));
  }
  const auto value = [&](const RankedOption& one) {
    const auto& mean = one.*quantity;
    return mean ? mean->mean : std::numeric_limits<double>::infinity();
  };
  const auto missed = [&](const RankedOption& one) {
    return options[one.option].learned.curves.size() - one.reached;
  };
  std::ranges::stable_sort(choice.ranked, [&](const RankedOption& a, const RankedOption& b) {
    if ((a.reached > 0) != (b.reached > 0)) return a.reached > 0;
    if (missed(a) != missed(b)) return missed(a) < missed(b);
    return value(a) < value(b);
  });
  mark_front(choice, options);
  if (choice.is_found()) mark_equals(choice, options, target, goal);
  return choice;
}

std::string answer_text(const std::vector<ChoiceOption>& options,
                        const Choice& choice,
                        const LearningTarget& target,
                        ChoiceGoal goal) {
  if (!choice.is_found())
    return "None reaches " + target.text() + furthest_text(options, target) + ".";
  const RankedOption& first = choice.ranked.front();
  const ChoiceOption& chosen = options[first.option];
  std::string text = name_of(chosen) + ": " + target.text() + " after " +
                     format_seconds(first.seconds->mean) +
                     interval_text(*first.seconds, seconds_text);
  if (first.cost) {
    const std::string& currency = chosen.learned.running.price->currency;
    text += ", for " + format_money(first.cost->mean, currency);
  }
  if (first.joules) text += ", with " + format_energy(first.joules->mean);
  const std::size_t seeds = chosen.learned.curves.size();
  if (first.reached < seeds) text += fmt::format("; {} of {} seeds reach it", first.reached, seeds);
  text += ".";
  if (seeds == 1) {
    text += " One seed says nothing about others.";
    return text;
  }
  if (const std::string others = equals_text(options, choice); !others.empty())
    text += "\nWithout a significant difference in " + std::string(to_string(goal)) + ": " +
            others + ". Take any of them, or more --seeds.";
  return text;
}

nlohmann::ordered_json choice_json(const std::vector<ChoiceOption>& options,
                                   const Choice& choice,
                                   const LearningTarget& target,
                                   ChoiceGoal goal) {
  nlohmann::ordered_json ranked = nlohmann::ordered_json::array();
  for (const RankedOption& one : choice.ranked) {
    const ChoiceOption& option = options[one.option];
    nlohmann::ordered_json json = {{"cluster", option.cluster},
                                   {"job", option.job},
                                   {"origin", option.origin},
                                   {"seeds", option.learned.curves.size()},
                                   {"seeds_at_target", one.reached},
                                   {"target_samples", json_of(one.samples)},
                                   {"target_s", json_of(one.seconds)},
                                   {"target_cost", json_of(one.cost)},
                                   {"target_energy_j", json_of(one.joules)},
                                   {"on_front", one.is_on_front},
                                   {"may_be_first", one.may_be_first}};
    if (one.cost) json["currency"] = option.learned.running.price->currency;
    ranked.push_back(std::move(json));
  }
  return {{"target", {{"metric", to_string(target.metric)}, {"value", target.value}}},
          {"by", to_string(goal)},
          {"found", choice.is_found()},
          {"answer", answer_text(options, choice, target, goal)},
          {"options", std::move(ranked)}};
}

}  // namespace epochcast
