// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/process/ending.hpp"
#include "core/formats/learning_metric.hpp"
#include "core/job/job_config.hpp"
#include "results/result.hpp"

namespace epochcast {

/// A job to rehearse, with its end.
struct RehearsalTask {
  JobConfig config;
  std::string point;                   ///< "sync, batch 32": distinguishes it from other tasks
  std::optional<double> stop_after_s;  ///< simulated seconds of training
  std::optional<LearningTarget> stop_at;
};

/// Whether the curve reaches the end of the task. Cuts off later epochs: the result must not depend
/// on earlier rehearsals.
[[nodiscard]] bool is_enough(const RehearsalTask& task, Curve& curve);

/// The completed share of the task, 0 to 1, after the epoch of a point.
[[nodiscard]] double share_of(const RehearsalTask& task, const CurvePoint& point);

/// The outcome of a task.
struct RehearsalOutcome {
  enum class Origin {
    learned,  ///< in this call
    kept,     ///< on this cluster, earlier
    timed,    ///< learned on another cluster, earlier; timed on this one now
  };

  RehearsalTask task;
  Origin origin = Origin::learned;
  /// Why it was learned on this cluster, although a job with its learning settings was learned
  /// elsewhere, or had to be in any case; empty: neither.
  std::string reason_to_learn = {};
  Ending ending = Ending::done;
  std::vector<std::string> problems = {};  ///< reasons why it is not done
  std::optional<RunResult> run = {};       ///< of all epochs that are kept; may be absent: problems
  Curve curve = {};                 ///< up to the epoch that ends the task, or the last good one
  std::int64_t learned_epochs = 0;  ///< that were computed in this call
};

}  // namespace epochcast
