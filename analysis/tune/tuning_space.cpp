// SPDX-License-Identifier: Apache-2.0
#include "analysis/tune/tuning_space.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "base/error.hpp"
#include "core/job/chosen_dataset.hpp"
#include "strategies/settings.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

double period_of(const JobConfig& config) {
  const Period* period = find_strategy(config.strategy).period;
  return period == nullptr ? 1 : static_cast<double>(period->value(config).value_or(1));
}

/// Whether another strategy has a setting of that name, and this one does not.
bool is_of_others(const std::string& name, const Strategy& strategy) {
  return !strategy.has(name) && !owners_of(name).empty();
}

std::vector<ForecastOutcome> forecasts_of(const std::vector<ForecastTask>& tasks) {
  std::vector<ForecastOutcome> outcomes = forecast_all(tasks, Catalog::standard());
  for (const ForecastOutcome& outcome : outcomes) {
    if (outcome.run) continue;
    if (outcome.has_died) throw RunError(outcome.problems.front());
    throw UserError(outcome.problems);
  }
  return outcomes;
}

/// The search space: each axis, the strategy's own one first.
struct Space {
  std::vector<SweepAxis> axes;
  std::string default_value;  ///< of the first axis, if it is the strategy's own; else empty
};

Space space_of(const std::vector<SweepAxis>& axes, const JobConfig& config, bool is_alone) {
  const Strategy& strategy = find_strategy(config.strategy);
  const Period* period = strategy.period;
  const std::string own(period == nullptr ? std::string_view() : period->setting->name);
  Space space;
  for (const SweepAxis& axis : axes) {
    // Settings of other strategies only are skipped.
    if (is_alone || !is_of_others(axis.name, strategy)) space.axes.push_back(axis);
  }
  if (own.empty()) {
    if (!space.axes.empty() || !is_alone) return space;
    throw UserError("--strategy: " + config.strategy +
                    " has no setting of how often it averages; say what to choose from, such as "
                    "--choose batch=16,32,64");
  }
  auto axis = std::find_if(space.axes.begin(), space.axes.end(), [&](const SweepAxis& each) {
    return each.name == own;
  });
  JobConfig often = config;
  all_settings().set(often, own, "1", own);
  const ForecastOutcome finest =
      forecasts_of({{.config = often, .strategy = config.strategy}}).front();
  const std::int64_t most = finest.run->iterations_per_epoch;
  space.default_value = std::to_string(period->usual_of(most));
  if (axis == space.axes.end()) {
    SweepAxis powers = {.name = own, .values = {}};
    for (std::int64_t count = 1; count <= most; count *= 2)
      powers.values.push_back(std::to_string(count));
    space.axes.insert(space.axes.begin(), std::move(powers));
  } else {
    std::rotate(space.axes.begin(), axis, axis + 1);
  }
  std::vector<std::string>& periods = space.axes.front().values;
  if (std::find(periods.begin(), periods.end(), space.default_value) == periods.end())
    periods.push_back(space.default_value);
  return space;
}

/// Adds one strategy's candidates.
void add_strategy(TuningChoice& choice,
                  std::map<std::string, std::size_t>& families,
                  const std::vector<SweepAxis>& axes,
                  const JobConfig& config,
                  bool is_alone) {
  const Space space = space_of(axes, config, is_alone);
  // All epochs: they may differ, and repeated ones cost a forecast little.
  for (const ForecastOutcome& outcome : forecasts_of(expand(config, space.axes))) {
    JobConfig one = outcome.task.config;
    one.strategy = config.strategy;
    std::string title = point_text(outcome.task.point);
    if (!is_alone) title = config.strategy + (title.empty() ? "" : ", ") + title;
    Candidate candidate = {
        .name = title,
        .epoch_s = outcome.run->epoch_s,
        .s_per_sample = outcome.run->epoch_s / static_cast<double>(outcome.run->samples_per_epoch),
        .period = period_of(one)};
    const Dataset dataset = chosen_dataset(one, Catalog::standard());
    candidate.test_samples = tested_samples(one, dataset);
    if (dataset.targets.kind == TargetKind::classes) candidate.classes = dataset.classes;
    if (outcome.run->cost) candidate.running.price = outcome.run->cost->rate;
    if (outcome.run->energy) candidate.running.power_w = outcome.run->training_j(1);
    JobConfig without = one;
    bool is_default = true;
    for (std::size_t i = 0; i < space.axes.size(); ++i) {
      const std::string& name = space.axes[i].name;
      const Setting setting = all_settings().named(name, space.axes[i].flag);
      const bool is_own = i == 0 && !space.default_value.empty();
      const std::string usual = is_own ? space.default_value : setting.show(config);
      is_default = is_default && setting.show(one) == usual;
      if (is_own) setting.set(without, "1");
    }
    std::string family;
    for (const SettingText& text : all_settings().texts(without)) family += text.value + "\n";
    candidate.family = families.emplace(family, families.size()).first->second;
    candidate.is_default = is_default;
    choice.candidates.push_back(std::move(candidate));
    choice.configs.push_back(std::move(one));
  }
}

}  // namespace

TuningChoice choice_of(const std::vector<SweepAxis>& axes, const JobConfig& config) {
  for (const SweepAxis& axis : axes) {
    const std::string origin = axis.flag + " " + axis.name + ": ";
    if (axis.name == "strategy")
      throw UserError(origin + "name the strategies to choose from with --strategy A,B");
    if (axis.name == "epochs" || axis.name == "seed")
      throw UserError(origin + "not to be chosen; it is the same for all");
  }
  const std::vector<std::string> strategies = chosen_strategies(config.strategy);
  TuningChoice choice;
  std::map<std::string, std::size_t> families;
  for (const std::string& strategy : strategies) {
    JobConfig one = config;
    one.strategy = strategy;
    add_strategy(choice, families, axes, one, strategies.size() == 1);
  }
  return choice;
}

}  // namespace epochcast
