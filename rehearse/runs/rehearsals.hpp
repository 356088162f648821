// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/formats/curve_point.hpp"
#include "core/formats/result.hpp"
#include "core/job/job.hpp"

namespace epochcast {

/// A job to rehearse, and how far.
struct RehearsalTask {
  JobConfig config;
  std::string point;                       ///< "sync, batch 32": what tells it from the others
  std::optional<double> stop_after_s;      ///< simulated seconds of training
  std::optional<double> stop_at_accuracy;  ///< test accuracy, 0 to 1
};

/// What became of it.
struct RehearsalOutcome {
  RehearsalTask task;
  std::optional<RunResult> run = {};  ///< of all epochs that are kept; absent: see problems
  Curve curve = {};                   ///< up to the epoch that ends the task, or the last good one
  std::vector<std::string> problems = {};
  bool has_diverged = false;  ///< the problem: a loss that is not finite
  bool is_bad_input = false;  ///< the problems are the user's
};

/// Where rehearsals run, and where they are kept.
struct RehearsalPlace {
  std::filesystem::path program;  ///< epochcast-rehearse
  std::filesystem::path folder;   ///< results and states, by content: what is there is not repeated
  std::size_t parallelism = 1;
};

/// Who hears what happens meanwhile.
struct RehearsalNews {
  std::function<void(double)> share;                ///< how much is done, 0 to 1
  std::function<void(const std::string&)> warning;  ///< a kept file is of no use
};

/// Rehearses all tasks; outcomes come in their order. One that was rehearsed before, with the same
/// settings, input files and program, comes from the folder, or goes on where it ended. What is
/// damaged there is computed again. Settings that a strategy does not use (how often others
/// average) make no difference. Throws a RunError when the folder cannot be written.
[[nodiscard]] std::vector<RehearsalOutcome> rehearse_all(const std::vector<RehearsalTask>& tasks,
                                                         const RehearsalPlace& place,
                                                         const Catalog& catalog,
                                                         const RehearsalNews& news);

/// $XDG_CACHE_HOME/epochcast/rehearsals, or below ~/.cache.
[[nodiscard]] std::filesystem::path rehearsal_folder();

}  // namespace epochcast
