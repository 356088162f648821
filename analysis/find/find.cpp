// SPDX-License-Identifier: Apache-2.0
#include "analysis/find/find.hpp"

#include <algorithm>
#include <utility>

#include "analysis/find/strategy_search.hpp"
#include "base/error.hpp"
#include "strategies/settings.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

SearchRange range_of(const std::string& name, const FindRequest& request, const FindTools& tools) {
  for (const SearchRange& range : request.between) {
    if (range.name() == name) return range;
  }
  static_cast<void>(searched_kind(name));
  return usual_range(name, tools.job(request.config).platform);
}

/// Whether a setting belongs to every job, or to the strategy.
bool has_setting(const std::string& strategy, const std::string& setting) {
  return owners_of(setting).empty() || find_strategy(strategy).has(setting);
}

/// The conditions that apply to a strategy.
std::vector<const Condition*> conditions_of(const FindRequest& request,
                                            const std::string& strategy) {
  std::vector<const Condition*> conditions;
  for (const Condition& condition : request.conditions) {
    if (condition.strategy.empty() || condition.strategy == strategy)
      conditions.push_back(&condition);
  }
  // A comparison of a strategy with itself does not apply.
  std::erase_if(conditions,
                [&](const Condition* condition) { return condition->baseline == strategy; });
  return conditions;
}

/// Throws for contradictory requests.
void check(const FindRequest& request, const std::vector<std::string>& strategies) {
  if (request.conditions.empty())
    throw UserError("--where: missing; expected a condition such as \"exposed < 10%\"");
  if (request.name == request.over)
    throw UserError("find " + request.name + "," + request.over + ": expected two different names");
  for (const SearchRange& range : request.between) {
    if (range.name() != request.name && range.name() != request.over)
      throw UserError("--between " + range.name() + ": is not looked for");
  }
  if (std::none_of(strategies.begin(), strategies.end(), [&](const std::string& strategy) {
        return has_setting(strategy, request.name);
      }))
    throw UserError("find " + request.name + ": none of " + request.config.strategy +
                    " has such a setting");
  for (const Condition& condition : request.conditions) {
    if (!condition.strategy.empty() &&
        std::find(strategies.begin(), strategies.end(), condition.strategy) == strategies.end())
      throw UserError("--where \"" + condition.text + "\": " + condition.strategy +
                      " is none of the strategies of --strategy " + request.config.strategy);
  }
}

/// The overlaps for which a strategy gets answers.
std::vector<Overlap> overlaps_of(const JobConfig& config, const FindRequest& request) {
  const bool is_both = request.adds_overlapped_sync && config.strategy == "sync" &&
                       config.overlap == Overlap::none && request.name != "overlap" &&
                       request.over != "overlap";
  if (is_both) return {Overlap::none, Overlap::bucket};
  return {config.overlap};
}

}  // namespace

std::vector<std::string> frontier_values(const SearchRange& range) {
  constexpr std::size_t kMost = 9;
  std::vector<std::string> values;
  const std::size_t last = range.size() - 1;
  if (range.size() <= kMost) {
    for (std::size_t i = 0; i <= last; ++i) values.push_back(range.text(i));
  } else if (range.kind() == FigureKind::count) {
    const auto first = static_cast<std::size_t>(range.value(0));
    for (std::size_t count = std::max<std::size_t>(first, 1); count < first + last; count *= 2)
      values.push_back(range.text(count - first));
    values.push_back(range.text(last));
  } else {
    for (std::size_t i = 0; i < kMost; ++i) values.push_back(range.text(i * last / (kMost - 1)));
  }
  return values;
}

std::vector<FoundValue> find(const FindRequest& request, const FindTools& tools) {
  const std::vector<std::string> strategies = chosen_strategies(request.config.strategy);
  check(request, strategies);
  all_settings().check_counts_in(
      request.config, request.name, Command::simulate, "find " + request.name);
  const SearchRange range = range_of(request.name, request, tools);
  std::vector<std::string> others = {""};
  if (!request.over.empty()) others = frontier_values(range_of(request.over, request, tools));
  KeptForecasts forecasts(tools);
  std::vector<FoundValue> answers;
  for (const std::string& other : others) {
    for (const std::string& strategy : strategies) {
      std::vector<const Condition*> conditions = conditions_of(request, strategy);
      if (conditions.empty() || !has_setting(strategy, request.name)) continue;
      JobConfig config = request.config;
      config.strategy = strategy;
      if (!other.empty()) all_settings().set(config, request.over, other, "find " + request.over);
      for (const Overlap overlap : overlaps_of(config, request)) {
        config.overlap = overlap;
        FoundValue answer =
            StrategySearch(request, range, tools, forecasts, config, conditions).answer();
        answer.overlaps = overlap == Overlap::bucket;
        if (!other.empty()) answer.point = {{request.over, other}};
        answers.push_back(std::move(answer));
      }
    }
  }
  return answers;
}

}  // namespace epochcast
