// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/files/output_file.hpp"
#include "core/formats/result.hpp"
#include "core/job/job.hpp"

namespace epochcast {

/// One setting and the values it takes in a sweep.
struct SweepAxis {
  std::string name;
  std::vector<std::string> values;
  std::string flag = "--sweep";  ///< that names it, for messages
};

/// Parses "nodes=4,8,12". Values that contain commas themselves are separated by ";".
/// Throws a UserError for an unknown setting or a value it does not take.
[[nodiscard]] SweepAxis parse_axis(const std::string& text,
                                   Command command = Command::simulate,
                                   const std::string& flag = "--sweep");

/// The strategies that a --strategy names: "all", or names separated by commas, each once. Throws a
/// UserError for an unknown one.
[[nodiscard]] std::vector<std::string> chosen_strategies(const std::string& text);

/// One run to forecast: a strategy for one point of a sweep.
struct ForecastTask {
  JobConfig config;
  std::string strategy;
  std::string point;  ///< "nodes 4, batch 32": where in the sweep; empty without one
};

/// A forecast, or why there is none.
struct ForecastOutcome {
  ForecastTask task;
  std::optional<RunResult> run;
  std::vector<std::string> problems;  ///< of the input, when there is no run
  bool has_died =
      false;  ///< the simulating process ended without an answer: our fault, not the user's
};

/// Every strategy at every point of the sweep, points in the order of the axes (the last one
/// fastest).
[[nodiscard]] std::vector<ForecastTask> expand(const JobConfig& config,
                                               const std::vector<SweepAxis>& axes);

/// Where records of the only task go; empty: nowhere.
struct RecordFiles {
  OutputFile timeline = {};           ///< what every worker does and when
  std::filesystem::path chakra = {};  ///< a folder: what every worker does, as execution traces
};

/// Forecasts all tasks in parallel processes. `outcome` gets what became of each, in the order of
/// the tasks, as soon as it and all before it are there; `done(n)` is called after the n-th has
/// finished, in any order.
void forecast_each(const std::vector<ForecastTask>& tasks,
                   const Catalog& catalog,
                   const RecordFiles& records,
                   const std::function<void(std::size_t)>& done,
                   const std::function<void(const ForecastOutcome&)>& outcome);

/// The same, when all have finished.
[[nodiscard]] std::vector<ForecastOutcome> forecast_all(const std::vector<ForecastTask>& tasks,
                                                        const Catalog& catalog);

}  // namespace epochcast
