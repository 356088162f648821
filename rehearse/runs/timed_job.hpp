// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/job/job.hpp"
#include "rehearse/runs/beginnings.hpp"
#include "rehearse/runs/rehearsal_entry.hpp"

namespace epochcast {

/// What is known of a rehearsal before it is computed.
struct TimedJob {
  /// What is learned, shared by clusters on which it is the same; without a name: learned anew on
  /// each.
  LearningJob learning = {};
  /// Why it has to be learned, although something with these settings was; empty: nothing was, or
  /// it need not be.
  std::string reason = {};
  /// What was learned earlier, with the times of this cluster; absent: nothing.
  std::optional<RehearsalEntry> entry = {};
};

/// Times a job on its simulated cluster, without numbers, and looks for what it learns among traces
/// in `folder`. One call per process, which has one SimGrid engine. Throws a UserError.
[[nodiscard]] TimedJob time_job(const JobConfig& config,
                                const Job& job,
                                const Catalog& catalog,
                                const std::filesystem::path& program,
                                const std::filesystem::path& folder);

/// The same as text, for another process, and back. Throws a UserError about `file`, where the
/// entry is to be kept.
[[nodiscard]] std::string to_text(const TimedJob& timed);
[[nodiscard]] TimedJob timed_job_from(const std::string& text, const std::filesystem::path& file);

}  // namespace epochcast
