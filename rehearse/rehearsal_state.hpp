// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "core/formats/curve_point.hpp"
#include "core/job/setting.hpp"

namespace epochcast {

/// A rehearsal between two epochs, complete enough to continue bit for bit. Measurements of
/// strategies and the clock are not included: they are simulated again.
struct RehearsalState {
  Curve curve = {};                        ///< of the epochs that are over
  std::vector<std::string> learners = {};  ///< TrainingLearner::save() of every worker
  /// Compression::save() of every worker; empty without one.
  std::vector<std::string> compressions = {};
  std::vector<std::string> kept = {};  ///< Worker::kept of every worker; empty without any
};

/// Replaces `file` atomically by a sealed one. Throws a RunError that names file and cause.
/// `settings`: those of the job.
void save_rehearsal_state(const std::filesystem::path& file,
                          const std::vector<SettingText>& settings,
                          const RehearsalState& state);

/// The state in `file`, or the initial state if there is no such file. Throws a DamagedFile if it
/// was changed, and a UserError if it is of another job or has impossible values.
[[nodiscard]] RehearsalState load_rehearsal_state(const std::filesystem::path& file,
                                                  const std::vector<SettingText>& settings,
                                                  std::size_t workers);

}  // namespace epochcast
