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
#include "core/job/job.hpp"
#include "results/forecast_outcome.hpp"

// Inverse questions: which value of a setting or figure meets a condition on results.

namespace epochcast {

/// A question.
struct FindRequest {
  JobConfig config;  ///< each strategy in it gets an answer
  std::string name;  ///< the setting or figure to be found
  std::string over;  ///< another one, searched at each of its values; empty: none
  std::vector<SearchRange> between = {};  ///< of these two, if not the usual ranges
  std::vector<Condition> conditions;      ///< all of which must hold
  bool wants_largest = false;             ///< else the smallest value
  /// Adds sync with overlap to sync without: the usual form of training.
  bool adds_overlapped_sync = false;
  /// A batch on more than one node keeps the global batch of one node (strongly_scaled()).
  bool scales_strongly = false;
};

/// One value, and its forecast.
struct TriedValue {
  std::string text;  ///< as the setting reads it
  double value = 0;
  JobConfig config;  ///< of this value, and one strategy
  std::optional<RunResult> run;
  std::vector<std::optional<double>> figures;  ///< values of the conditions' quantities, by
                                               ///< condition
  std::vector<std::string> problems;           ///< reasons for missing runs or figures
};

/// The answer for a strategy.
struct FoundValue {
  std::string strategy;
  bool overlaps = false;           ///< whether gradients are exchanged in buckets during backward
  std::vector<SettingText> point;  ///< the other setting's value; empty without one
  std::vector<const Condition*> conditions;  ///< of the request, those that apply to this strategy
  std::optional<TriedValue> found = {};      ///< the value found; absent: there is none
  std::optional<TriedValue> before =
      {};  ///< the next value, which fails; absent at the range's end
  /// The same for epochs as short and as long as the 5 % and 95 % quantiles of the forecast; empty
  /// if no value of the range holds. Absent if forecasts have no interval.
  std::optional<std::vector<std::string>> bounds = {};
  std::optional<TriedValue> best = {};  ///< if none is found: the closest one
  bool is_monotone = true;              ///< otherwise there may be solutions that were overlooked
  std::size_t looked = 0;               ///< number of values evaluated
};

/// The functions that a search uses.
struct FindTools {
  /// The outcomes of tasks, in their order.
  std::function<std::vector<ForecastOutcome>(const std::vector<ForecastTask>&)> forecast;
  /// The job of a configuration. Throws a UserError.
  std::function<Job(const JobConfig&)> job;
};
/// Tools that simulate `jobs`, which must outlive them.
[[nodiscard]] FindTools simulating(SharedJobs& jobs);

/// An answer for each strategy that a condition concerns, and each value of the other setting.
/// Throws a UserError for contradictory requests; problems of single values are part of the
/// answers.
[[nodiscard]] std::vector<FoundValue> find(const FindRequest& request, const FindTools& tools);

/// The searched values of the other setting: up to nine, evenly spread, counts doubled.
[[nodiscard]] std::vector<std::string> frontier_values(const SearchRange& range);

}  // namespace epochcast
