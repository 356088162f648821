// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/forecast/shared_jobs.hpp"
#include "core/fabric.hpp"
#include "core/job/forecast_outcome.hpp"

// How much faster a job gets with more workers.

namespace epochcast {

/// What stays as it is when there are more workers.
enum class Scaling {
  weak,   ///< the batch of a worker
  strong  ///< the batch of all workers together
};

/// "strong" or "weak". Throws a UserError.
[[nodiscard]] Scaling parse_scaling(const std::string& text);

/// How many of a job's workers train.
[[nodiscard]] std::int64_t trainers(const std::vector<WorkerInfo>& workers);

/// The job with the batch per worker that comes closest to a global batch (--accumulate aside).
/// Throws a UserError where there are more workers than samples in it.
[[nodiscard]] JobConfig strongly_scaled(JobConfig config,
                                        std::int64_t global_batch,
                                        std::int64_t workers);

/// The tasks of a sweep; where scaling is strong, each with the batch per worker that keeps the
/// global batch of the point with the fewest workers, among those that differ from it in nothing
/// but who works. `jobs` reads what it takes to know who works; tasks of which that cannot be known
/// stay as they are. Throws a UserError where none of the axes changes who works.
[[nodiscard]] std::vector<ForecastTask> scaled(const std::vector<ForecastTask>& tasks,
                                               Scaling scaling,
                                               SharedJobs& jobs);

/// Whether an axis of a sweep changes who works: nodes, counts of nodes and devices, ...
[[nodiscard]] bool changes_workers(const std::string& setting);

/// Gives every run its speed-up and efficiency against the one with the fewest workers, among those
/// that differ from it in nothing but who works. With P workers that train and T seconds for as
/// many samples as the data set has: speed-up S = T0 / T, efficiency E = S / (P / P0). Says in
/// their notes where strong scaling has had to round a batch.
///
/// The knee of a series is where E / T is highest (Eager, Zahorjan, Lazowska, "Speedup versus
/// efficiency in parallel systems", IEEE Transactions on Computers 38(3), 1989): beyond it, another
/// worker adds less than half of what those that are there have added on average. None where that
/// is the point with the most workers, or the only one.
void add_speed_ups(std::vector<ForecastOutcome>& outcomes, Scaling scaling);

}  // namespace epochcast
