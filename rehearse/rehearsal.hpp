// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/formats/learning_metric.hpp"
#include "core/job/job.hpp"
#include "real/data/data_source.hpp"
#include "results/result.hpp"

namespace epochcast {

/// Outputs of a rehearsal, and its end.
struct RehearsalOptions {
  /// Ends with the first epoch after which the job has trained for so many simulated seconds ...
  std::optional<double> stop_after_s;
  /// ... or that reaches this test accuracy.
  std::optional<LearningTarget> stop_at;
  /// File for the job's state after every epoch, from which a later rehearsal continues; empty:
  /// none.
  std::filesystem::path state;
  /// Further files, for the state after one epoch each: of jobs that begin like this one.
  std::vector<std::pair<std::int64_t, std::filesystem::path>> other_states = {};
  /// Workers whose batches are computed at the same time, where no number depends on it.
  int batches_at_a_time = 1;
  /// After each epoch; `is_known`: it was in the state.
  std::function<void(const CurvePoint&, bool is_known)> after_epoch;
  /// Gets the reason why a state cannot be used; the rehearsal then starts from the beginning.
  std::function<void(const std::string&)> warn;
};

/// A job that was rehearsed.
struct Rehearsal {
  RunResult result;  ///< of all epochs in the curve
  Curve curve = {};
  std::string sequence = {};            ///< of its workers: RehearsedTime::sequence()
  std::vector<std::string> notes = {};  ///< on data and numbers
};

/// Computes the real training of every worker (parameters, gradients, losses, samples) on the clock
/// of the job's simulated platform, with the costs of its workers' devices.
///
/// One call per process, which has one SimGrid engine. Computes on LibTorch's `device` with so many
/// threads, in the job's precision if the device has it (real::rehearsed_precision()). Throws
/// UserError, and Diverged when a loss is not finite.
[[nodiscard]] Rehearsal rehearse(const Job& job,
                                 const real::DataSplit& data,
                                 const std::string& device,
                                 int threads,
                                 const RehearsalOptions& options);

}  // namespace epochcast
