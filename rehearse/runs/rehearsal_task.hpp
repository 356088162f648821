// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/formats/learning_metric.hpp"
#include "core/formats/result.hpp"
#include "core/job/job_config.hpp"
#include "core/process/ending.hpp"

namespace epochcast {

/// A job to rehearse, and how far.
struct RehearsalTask {
  JobConfig config;
  std::string point;                   ///< "sync, batch 32": what tells it from the others
  std::optional<double> stop_after_s;  ///< simulated seconds of training
  std::optional<LearningTarget> stop_at;
};

/// Whether the curve goes as far as the task asks. What an earlier one went further is cut off: the
/// answer must not depend on what was rehearsed before.
[[nodiscard]] bool is_enough(const RehearsalTask& task, Curve& curve);

/// What share of the task is done, 0 to 1, after the epoch of a point.
[[nodiscard]] double share_of(const RehearsalTask& task, const CurvePoint& point);

/// What became of a task.
struct RehearsalOutcome {
  RehearsalTask task;
  Ending ending = Ending::done;
  std::vector<std::string> problems = {};  ///< why it is not done
  std::optional<RunResult> run = {};       ///< of all epochs that are kept; may be absent: problems
  Curve curve = {};  ///< up to the epoch that ends the task, or the last good one
};

}  // namespace epochcast
