// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/forecast/shared_jobs.hpp"
#include "core/fabric.hpp"
#include "results/forecast_outcome.hpp"

// The speed-up of a job with the number of workers.

namespace epochcast {

/// The batch that remains constant with the number of workers.
enum class Scaling {
  weak,   ///< the batch per worker
  strong  ///< the batch of all workers together
};

/// "strong" or "weak". Throws a UserError.
[[nodiscard]] Scaling parse_scaling(const std::string& text);

/// The number of a job's workers that train.
[[nodiscard]] std::int64_t trainers(const std::vector<WorkerInfo>& workers);

/// The job with the batch per worker closest to a global batch (--accumulate not counted). Throws a
/// UserError if there are more workers than samples in it.
[[nodiscard]] JobConfig strongly_scaled(JobConfig config,
                                        std::int64_t global_batch,
                                        std::int64_t workers);

/// The tasks of a sweep; under strong scaling, each with the batch per worker that keeps the global
/// batch of the point with the fewest workers, among those that differ from it only in the workers.
/// `jobs` reads the files needed to determine the workers; tasks whose workers are unknown remain.
/// Throws a UserError if no axis changes the workers.
[[nodiscard]] std::vector<ForecastTask> scaled(const std::vector<ForecastTask>& tasks,
                                               Scaling scaling,
                                               SharedJobs& jobs);

/// Whether an axis of a sweep changes the workers: nodes, counts of nodes and devices, ...
[[nodiscard]] bool changes_workers(const std::string& setting);

/// Gives every run its speed-up and efficiency against the one with the fewest workers, among those
/// that differ from it only in the workers. With P workers that train and T seconds for the number
/// of samples in the data set: speed-up S = T0 / T, efficiency E = S / (P / P0). Notes report
/// batches that strong scaling rounded.
///
/// The knee of a series is where E / T is highest (Eager, Zahorjan, Lazowska, "Speedup versus
/// efficiency in parallel systems", IEEE Transactions on Computers 38(3), 1989): beyond it, another
/// worker adds less than half of the average of the existing ones. None if that is the point with
/// the most workers, or the only one.
void add_speed_ups(std::vector<ForecastOutcome>& outcomes, Scaling scaling);

}  // namespace epochcast
