// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "core/formats/curve_point.hpp"
#include "core/job/setting.hpp"

namespace epochcast {

/// A rehearsal between two epochs: everything it needs to go on bit for bit. What a strategy has
/// measured and where the clock stood is not in it: both are simulated again.
struct RehearsalState {
  Curve curve = {};                        ///< of the epochs that are over
  std::vector<std::string> learners = {};  ///< TrainingLearner::save() of every worker
};

/// Replaces `file` by a sealed one; whatever happens, it holds the old state or the new one. Throws
/// a RunError that names file and cause. `settings`: those of the job.
void save_rehearsal_state(const std::filesystem::path& file,
                          const std::vector<SettingText>& settings,
                          const RehearsalState& state);

/// The state in `file`, or the beginning when there is no such file. Throws a DamagedFile when it
/// is not what was written, and a UserError when it is of another job or something in it cannot be.
[[nodiscard]] RehearsalState load_rehearsal_state(const std::filesystem::path& file,
                                                  const std::vector<SettingText>& settings,
                                                  std::size_t workers);

}  // namespace epochcast
