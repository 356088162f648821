// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/job/job.hpp"
#include "rehearse/runs/rehearsal_task.hpp"

namespace epochcast {

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

}  // namespace epochcast
