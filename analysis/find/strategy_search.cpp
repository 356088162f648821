// SPDX-License-Identifier: Apache-2.0
#include "analysis/find/strategy_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "analysis/forecast/scaling.hpp"
#include "base/error.hpp"
#include "strategies/settings.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

bool changes_nodes(const std::string& setting) {
  return setting == "nodes" || (setting.starts_with("node.") && setting.ends_with(".count"));
}

/// Whether a figure is the number of devices that train in a node.
bool counts_trainers(const std::string& figure, const std::vector<WorkerInfo>& workers) {
  if (!is_figure(figure)) return false;
  if (figure.starts_with("node.")) return figure.ends_with(".devices");
  return std::any_of(workers.begin(), workers.end(), [&](const WorkerInfo& worker) {
    return worker.role == Role::trains && (figure == "device." + worker.device_class + ".count" ||
                                           figure == "device." + worker.model + ".count");
  });
}

/// Changes a job on one node to a single device; devices that only aggregate stay.
void put_one_device(JobConfig& config, const Job& job) {
  std::string figure = "node.devices";
  if (job.platform.simgrid_xml.empty()) {
    const auto workers = workers_of(job, find_strategy(config.strategy));
    std::set<std::string> models;
    for (const WorkerInfo& worker : workers) {
      if (worker.role == Role::trains) models.insert(worker.model);
    }
    if (models.size() == 1) figure = "device." + *models.begin() + ".count";
    // Figures of the request for these nodes would also apply.
    std::erase_if(config.platform_figures,
                  [&](const auto& given) { return counts_trainers(given.first, workers); });
  }
  config.platform_figures[figure] = "1";
}

std::string key_of(const JobConfig& config) {
  std::string key;
  for (const SettingText& setting : all_settings().texts(config, in(Command::simulate)))
    key.append(setting.name).append("=").append(setting.value).append("\n");
  return key;
}

}  // namespace

void KeptForecasts::make(const std::vector<JobConfig>& configs) {
  std::vector<ForecastTask> tasks;
  std::vector<std::string> keys;
  for (const JobConfig& config : configs) {
    std::string key = key_of(config);
    if (known_.contains(key) || std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    tasks.push_back({.config = config, .strategy = config.strategy, .point = {}});
    keys.push_back(std::move(key));
  }
  std::vector<ForecastOutcome> outcomes = tools_.forecast(tasks);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].has_died) throw RunError(outcomes[i].problems.front());
    known_.emplace(keys[i], std::move(outcomes[i]));
  }
}

const ForecastOutcome& KeptForecasts::of(const JobConfig& config) const {
  return known_.at(key_of(config));
}

StrategySearch::StrategySearch(const FindRequest& request,
                               const SearchRange& range,
                               const FindTools& tools,
                               KeptForecasts& forecasts,
                               JobConfig config,
                               std::vector<const Condition*> conditions)
    : request_(request),
      range_(range),
      tools_(tools),
      forecasts_(forecasts),
      config_(std::move(config)),
      conditions_(std::move(conditions)) {}

FoundValue StrategySearch::answer() {
  FoundValue answer = {.strategy = config_.strategy, .point = {}, .conditions = conditions_};
  const SearchAnswer mean = first_for(Bound::mean);
  answer.is_monotone = mean.is_monotone;
  if (mean.first) {
    answer.found = tried(*mean.first);
    if (*mean.first > 0) {
      look({*mean.first - 1});
      answer.before = tried(*mean.first - 1);
    }
    if (has_interval_)
      answer.bounds = std::vector<std::string>{text_of(first_for(Bound::shortest).first),
                                               text_of(first_for(Bound::longest).first)};
  } else {
    answer.best = closest();
  }
  answer.looked = known_.size();
  return answer;
}

SearchAnswer StrategySearch::first_for(Bound bound) {
  return first_that_holds(
      {.size = range_.size(),
       .look = [this](const std::vector<std::size_t>& indices) { look(indices); },
       .holds = [this, bound](std::size_t index) { return holds(index, bound); },
       .figures = [this, bound](std::size_t index) { return figures(index, bound); }});
}

std::size_t StrategySearch::place(std::size_t index) const {
  return request_.wants_largest ? range_.size() - 1 - index : index;
}

std::string StrategySearch::text_of(const std::optional<std::size_t>& index) const {
  return index ? range_.text(place(*index)) : std::string();
}

void StrategySearch::look(const std::vector<std::size_t>& indices) {
  std::vector<JobConfig> configs;
  for (const std::size_t index : indices) {
    if (known_.contains(index)) continue;
    const Known& known = known_.emplace(index, described(index)).first->second;
    if (!known.problems.empty()) continue;
    configs.push_back(known.config);
    for (const auto& reference : known.references) {
      if (reference) configs.push_back(*reference);
    }
  }
  if (!configs.empty()) forecasts_.make(configs);
  for (const std::size_t index : indices) {
    const Known& known = known_.at(index);
    if (!known.problems.empty()) continue;
    const auto& run = forecasts_.of(known.config).run;
    has_interval_ = has_interval_ || (run && run->epoch_s_interval);
  }
}

StrategySearch::Known StrategySearch::described(std::size_t index) const {
  Known known = {.config = config_, .references = {}, .problems = {}};
  try {
    all_settings().set(
        known.config, range_.name(), range_.text(place(index)), "find " + range_.name());
    const bool needs_node =
        request_.scales_strongly ||
        std::any_of(conditions_.begin(), conditions_.end(), [](const Condition* condition) {
          return condition->quantity->reference == Reference::one_node;
        });
    std::optional<JobConfig> node;
    if (needs_node) node = on_one_node(known.config);
    if (request_.scales_strongly) scale(known.config, *node);
    for (const Condition* condition : conditions_) {
      std::optional<JobConfig> reference;
      if (condition->quantity->reference == Reference::one_node) reference = node;
      if (condition->quantity->reference == Reference::strategy) {
        reference = known.config;
        reference->strategy = condition->baseline;
      }
      if (reference) reference = without_settings_of_others(std::move(*reference));
      known.references.push_back(std::move(reference));
    }
    known.config = without_settings_of_others(std::move(known.config));
  } catch (const UserError& error) {
    known.problems = error.problems();
  }
  return known;
}

JobConfig StrategySearch::on_one_node(JobConfig config) const {
  const Job job = tools_.job(config);
  const bool is_xml = !job.platform.simgrid_xml.empty();
  const int nodes = config.nodes.value_or(is_xml ? 2 : job.platform.node_count());
  const bool varies = changes_nodes(request_.name) || changes_nodes(request_.over);
  config.nodes = 1;
  if (nodes == 1 && !varies) put_one_device(config, job);
  return config;
}

void StrategySearch::scale(JobConfig& config, const JobConfig& node) const {
  const Strategy& strategy = find_strategy(config.strategy);
  const auto workers = [&](const JobConfig& one) {
    return trainers(workers_of(tools_.job(one), strategy));
  };
  config = strongly_scaled(config, node.batch * workers(node), workers(config));
}

std::vector<std::optional<double>> StrategySearch::figures(std::size_t index, Bound bound) const {
  std::vector<std::optional<double>> values(conditions_.size());
  const Known& known = known_.at(index);
  if (!known.problems.empty()) return values;
  const auto& run = forecasts_.of(known.config).run;
  if (!run) return values;
  QuantityInput input = {.run = *run};
  if (run->epoch_s_interval && bound != Bound::mean) {
    const Interval& interval = *run->epoch_s_interval;
    input.longer_s = (bound == Bound::shortest ? interval.low_s : interval.high_s) - run->epoch_s;
  }
  for (std::size_t i = 0; i < conditions_.size(); ++i) {
    if (conditions_[i]->quantity->reference != Reference::none) {
      const auto& reference = forecasts_.of(*known.references[i]).run;
      if (!reference) continue;
      input.reference = &*reference;
    }
    values[i] = conditions_[i]->value(input);
  }
  return values;
}

bool StrategySearch::holds(std::size_t index, Bound bound) const {
  const auto values = figures(index, bound);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i] || !conditions_[i]->holds(*values[i])) return false;
  }
  return true;
}

TriedValue StrategySearch::tried(std::size_t index) const {
  const Known& known = known_.at(index);
  TriedValue value = {.text = text_of(index),
                      .value = range_.value(place(index)),
                      .config = known.config,
                      .run = {},
                      .figures = figures(index, Bound::mean),
                      .problems = known.problems};
  if (!known.problems.empty()) return value;
  const ForecastOutcome& outcome = forecasts_.of(known.config);
  value.run = outcome.run;
  value.problems = outcome.problems;
  for (std::size_t i = 0; i < conditions_.size() && value.problems.empty(); ++i) {
    if (!value.figures[i]) value.problems = forecasts_.of(*known.references[i]).problems;
  }
  return value;
}

std::optional<TriedValue> StrategySearch::closest() const {
  std::optional<std::size_t> best;
  std::pair<std::size_t, double> best_miss;
  for (const auto& [index, known] : known_) {
    const auto values = figures(index, Bound::mean);
    std::pair<std::size_t, double> miss = {0, 0};  // conditions, distance
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] && conditions_[i]->holds(*values[i])) continue;
      if (miss.first == 0)
        miss.second = values[i] ? std::abs(*values[i] - conditions_[i]->bound)
                                : std::numeric_limits<double>::infinity();
      ++miss.first;
    }
    if (best && miss >= best_miss) continue;
    best = index;
    best_miss = miss;
  }
  return best ? std::optional(tried(*best)) : std::nullopt;
}

}  // namespace epochcast
