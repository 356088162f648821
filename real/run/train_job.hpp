// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/formats/curve_point.hpp"
#include "core/job/job.hpp"
#include "core/job/run_options.hpp"
#include "results/result.hpp"

namespace epochcast::real {

/// The outcome of a training.
struct TrainingOutcome {
  RunResult run;
  Curve curve;  ///< of the epochs of this run, without those before a checkpoint
};

/// Trains for real: this process is one worker. Collective over MPI_COMM_WORLD. Returns the outcome
/// on the first of the workers, none elsewhere. Throws UserError and RunError.
[[nodiscard]] std::optional<TrainingOutcome> train(const JobConfig& config,
                                                   const Catalog& catalog,
                                                   const RunOptions& options);

/// Exchanges real messages, and sleeps for the cost of computations: this process is one worker of
/// the job's platform. Otherwise like train().
[[nodiscard]] std::optional<RunResult> emulate(const Job& job, const RunOptions& options);

}  // namespace epochcast::real
