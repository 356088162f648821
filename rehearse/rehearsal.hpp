// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "core/formats/learning_metric.hpp"
#include "core/formats/result.hpp"
#include "core/job/job.hpp"
#include "real/data/data_source.hpp"

namespace epochcast {

/// What a rehearsal does besides training, and how far it goes.
struct RehearsalOptions {
  /// Ends with the first epoch after which the job has trained for so many simulated seconds ...
  std::optional<double> stop_after_s;
  /// ... or that reaches this test accuracy.
  std::optional<LearningTarget> stop_at;
  /// File for the job's state after every epoch, from which a later rehearsal goes on; empty: none.
  std::filesystem::path state;
  /// After each epoch, also those that were in the state.
  std::function<void(const CurvePoint&)> after_epoch;
  /// Told why a state cannot be used: the rehearsal then begins at the beginning.
  std::function<void(const std::string&)> warn;
};

/// A job that was rehearsed.
struct Rehearsal {
  RunResult result;  ///< of all epochs in the curve
  Curve curve = {};
};

/// Trains for real - every worker's parameters, gradients, losses, samples - while time passes on
/// the clock of the job's simulated platform, at the cost of its workers' devices.
///
/// Uses up this process's SimGrid engine: one call per process. Computes on LibTorch's `device`
/// with so many threads. Throws UserError, and Diverged when a loss is not finite.
[[nodiscard]] Rehearsal rehearse(const Job& job,
                                 const real::DataSplit& data,
                                 const std::string& device,
                                 int threads,
                                 const RehearsalOptions& options);

}  // namespace epochcast
