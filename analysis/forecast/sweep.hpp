// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analysis/forecast/forecast_files.hpp"
#include "analysis/forecast/shared_jobs.hpp"
#include "base/files/output_file.hpp"
#include "core/job/job.hpp"
#include "core/job/setting.hpp"
#include "results/forecast_outcome.hpp"

namespace epochcast {

/// One setting and its values in a sweep.
struct SweepAxis {
  std::string name;
  std::vector<std::string> values;
  std::string flag = "--sweep";         ///< its flag, for messages
  Command command = Command::simulate;  ///< that it belongs to
};

/// Parses "nodes=4,8,12". Values that contain commas themselves are separated by ";". Throws a
/// UserError for an unknown setting or an invalid value.
[[nodiscard]] SweepAxis parse_axis(const std::string& text,
                                   Command command = Command::simulate,
                                   const std::string& flag = "--sweep");

/// Every strategy at every point of the sweep, points in the order of the axes (the last one
/// fastest).
[[nodiscard]] std::vector<ForecastTask> expand(const JobConfig& config,
                                               const std::vector<SweepAxis>& axes);

/// Among all strategies, sync occurs twice: as in the papers, and with buckets of gradients that
/// are exchanged during backward, the usual form in practice (PyTorch's
/// DistributedDataParallel).
[[nodiscard]] std::vector<ForecastTask> with_overlapped_sync(
    const std::vector<ForecastTask>& tasks);

/// The files for records of the only task; empty: none.
struct RecordFiles {
  OutputFile timeline = {};           ///< the activity of every worker in time
  std::filesystem::path chakra = {};  ///< a folder: the activity of every worker, as execution
                                      ///< traces
};

/// Forecasts all tasks in parallel processes, or takes kept ones; processes share the jobs of
/// `load`: tasks with the same files share one. `outcome` gets the outcomes in the order of the
/// tasks, each as soon as it and all before it are complete; `done(n)` is called after the n-th has
/// finished, in any order. Errors of a task - including its files - are part of its outcome, and do
/// not affect other tasks.
void forecast_each(const std::vector<ForecastTask>& tasks,
                   const JobLoader& load,
                   const RecordFiles& records,
                   const std::function<void(std::size_t)>& done,
                   const std::function<void(const ForecastOutcome&)>& outcome);

/// The same with jobs that outlive the call, for repeated forecasts.
void forecast_each(const std::vector<ForecastTask>& tasks,
                   SharedJobs& jobs,
                   const RecordFiles& records,
                   const std::function<void(std::size_t)>& done,
                   const std::function<void(const ForecastOutcome&)>& outcome,
                   const ForecastPlace& place = {});

/// The same; `finished` gets each outcome as soon as it is complete, with its task's index.
void forecast_as_finished(const std::vector<ForecastTask>& tasks,
                          SharedJobs& jobs,
                          const RecordFiles& records,
                          const std::function<void(std::size_t, ForecastOutcome)>& finished,
                          const ForecastPlace& place = {});

/// The same for existing jobs, each by its configuration's strategy, when all have
/// finished.
[[nodiscard]] std::vector<ForecastOutcome> forecast_jobs(
    const std::vector<Job>& jobs, const std::function<void(std::size_t)>& done);

/// The same for jobs of the catalogue, when all have finished.
[[nodiscard]] std::vector<ForecastOutcome> forecast_all(const std::vector<ForecastTask>& tasks,
                                                        const Catalog& catalog);

}  // namespace epochcast
