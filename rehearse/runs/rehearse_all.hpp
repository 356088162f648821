// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/process/helpers.hpp"
#include "core/job/job.hpp"
#include "rehearse/runs/rehearsal_program.hpp"
#include "rehearse/runs/rehearsal_task.hpp"

namespace epochcast {

/// Where rehearsals run, and where they are kept.
struct RehearsalPlace {
  std::shared_ptr<RehearsalProgram> program;
  std::filesystem::path folder;  ///< results and states, by key
  std::size_t parallelism = 1;   ///< rehearsals, or workers of few ones, that compute at a time
  /// Others that compute instead of this process, which waits for their results; null: none.
  std::shared_ptr<Helpers> helpers = {};
  /// If not, only what is kept counts; what is not fails.
  bool computes = true;
};

/// Callbacks during rehearsals.
struct RehearsalCallbacks {
  std::function<void(double)> share;                ///< completed share, 0 to 1
  std::function<void(const std::string&)> warning;  ///< a kept file cannot be used
};

/// Rehearses all tasks; outcomes come in their order. A task that was rehearsed before, with the
/// same settings, input files and program, is taken from the folder, or continued. If its workers
/// do the same as on a cluster where it was learned, it is only timed. Damaged files are computed
/// again. Settings that a strategy does not use are ignored. Throws a RunError when
/// the folder cannot be written.
[[nodiscard]] std::vector<RehearsalOutcome> rehearse_all(const std::vector<RehearsalTask>& tasks,
                                                         const RehearsalPlace& place,
                                                         const Catalog& catalog,
                                                         const RehearsalCallbacks& callbacks);

}  // namespace epochcast
