// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "core/curve_point.hpp"
#include "core/job_config.hpp"
#include "real/common/rank_state.hpp"

namespace epochcast {

/// A rehearsal between two epochs: everything it needs to go on bit for bit.
struct RehearsalState {
  Curve curve;                         ///< of the epochs that are over
  std::vector<real::RankState> ranks;  ///< of every worker; empty: at the beginning
};

/// Replaces `file`; whatever happens, it holds the old state or the new one. Throws a RunError that
/// names file and cause. `settings`: those of the job.
void save_rehearsal_state(const std::filesystem::path& file,
                          const std::vector<SettingText>& settings,
                          const RehearsalState& state);

/// The state in `file`, or the beginning when there is no such file. Throws a UserError when it is
/// of another job, and a RunError when it is damaged.
[[nodiscard]] RehearsalState load_rehearsal_state(const std::filesystem::path& file,
                                                  const std::vector<SettingText>& settings);

}  // namespace epochcast
