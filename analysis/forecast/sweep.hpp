// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analysis/forecast/shared_jobs.hpp"
#include "core/files/output_file.hpp"
#include "core/job/forecast_outcome.hpp"
#include "core/job/job.hpp"
#include "core/job/setting.hpp"

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

/// Every strategy at every point of the sweep, points in the order of the axes (the last one
/// fastest).
[[nodiscard]] std::vector<ForecastTask> expand(const JobConfig& config,
                                               const std::vector<SweepAxis>& axes);

/// Among all strategies, sync stands twice: as the papers have it, and with buckets of gradients
/// that leave while backward goes on, which is what users have in practice (PyTorch's
/// DistributedDataParallel).
[[nodiscard]] std::vector<ForecastTask> with_overlapped_sync(
    const std::vector<ForecastTask>& tasks);

/// Where records of the only task go; empty: nowhere.
struct RecordFiles {
  OutputFile timeline = {};           ///< what every worker does and when
  std::filesystem::path chakra = {};  ///< a folder: what every worker does, as execution traces
};

/// Forecasts all tasks in parallel processes, which share the jobs that `load` gives: tasks that
/// name the same files have one. `outcome` gets what became of each, in the order of
/// the tasks, as soon as it and all before it are there; `done(n)` is called after the n-th has
/// finished, in any order. What is wrong with a task - its files included - is told with it, and
/// keeps no other from being forecast.
void forecast_each(const std::vector<ForecastTask>& tasks,
                   const JobLoader& load,
                   const RecordFiles& records,
                   const std::function<void(std::size_t)>& done,
                   const std::function<void(const ForecastOutcome&)>& outcome);

/// The same with jobs that outlive it, for those who forecast more than once.
void forecast_each(const std::vector<ForecastTask>& tasks,
                   SharedJobs& jobs,
                   const RecordFiles& records,
                   const std::function<void(std::size_t)>& done,
                   const std::function<void(const ForecastOutcome&)>& outcome);

/// The same of jobs that are there already, each by its configuration's strategy, when all have
/// finished.
[[nodiscard]] std::vector<ForecastOutcome> forecast_jobs(
    const std::vector<Job>& jobs, const std::function<void(std::size_t)>& done);

/// The same of jobs that the catalogue has, when all have finished.
[[nodiscard]] std::vector<ForecastOutcome> forecast_all(const std::vector<ForecastTask>& tasks,
                                                        const Catalog& catalog);

}  // namespace epochcast
