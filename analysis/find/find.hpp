// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/find/condition.hpp"
#include "analysis/find/search_range.hpp"
#include "analysis/forecast/shared_jobs.hpp"
#include "core/job/forecast_outcome.hpp"
#include "core/job/job.hpp"

// Inverse questions: which value of a setting or figure meets a condition on results.

namespace epochcast {

/// A question.
struct FindRequest {
  JobConfig config;  ///< of which each strategy gets an answer
  std::string name;  ///< the setting or figure whose value is asked for
  std::string over;  ///< another one, for each of whose values it is asked; empty: none
  std::vector<SearchRange> between = {};  ///< of these two, where not the usual ranges
  std::vector<Condition> conditions;      ///< all of which are to hold
  bool wants_largest = false;             ///< else the smallest value
  /// sync without overlap is asked about with it, too: as its users train.
  bool adds_overlapped_sync = false;
  /// The batch of more than one node is what keeps the global batch of one (strongly_scaled()).
  bool scales_strongly = false;
};

/// One value, and what a forecast says of it.
struct TriedValue {
  std::string text;  ///< as the setting reads it
  double value = 0;
  JobConfig config;  ///< of this value, and one strategy
  std::optional<RunResult> run;
  std::vector<std::optional<double>> figures;  ///< what the conditions are of, by condition
  std::vector<std::string> problems;           ///< why there is no run, or no figure
};

/// What was found for a strategy.
struct FoundValue {
  std::string strategy;
  bool overlaps = false;           ///< whether gradients are exchanged in buckets during backward
  std::vector<SettingText> point;  ///< the other setting's value; empty without one
  std::vector<const Condition*>
      conditions;                        ///< of the request, those that this strategy is to meet
  std::optional<TriedValue> found = {};  ///< the value asked for; nothing: there is none
  std::optional<TriedValue> before =
      {};  ///< the next one, which does not do; nothing at the range's end
  /// The same for epochs as short and as long as the 5 % and 95 % quantiles of the forecast; empty
  /// where no value of the range does. Nothing where forecasts have no interval.
  std::optional<std::vector<std::string>> bounds = {};
  std::optional<TriedValue> best = {};  ///< where none is found: the one that comes closest
  bool is_monotone = true;              ///< else there may be others, which were overlooked
  std::size_t looked = 0;               ///< at how many values
};

/// What a search works with.
struct FindTools {
  /// The outcomes of tasks, in their order.
  std::function<std::vector<ForecastOutcome>(const std::vector<ForecastTask>&)> forecast;
  /// The job of a configuration. Throws a UserError.
  std::function<Job(const JobConfig&)> job;
};
/// Those that simulate `jobs`, which have to outlive them.
[[nodiscard]] FindTools simulating(SharedJobs& jobs);

/// An answer for each strategy that a condition speaks of, and each value of the other setting.
/// Throws a UserError where the question makes no sense; what single values lack is told with them.
[[nodiscard]] std::vector<FoundValue> find(const FindRequest& request, const FindTools& tools);

/// The values of the other setting that are looked at: up to nine, evenly spread, counts doubled.
[[nodiscard]] std::vector<std::string> frontier_values(const SearchRange& range);

}  // namespace epochcast
