// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/job/job.hpp"
#include "rehearse/runs/beginnings.hpp"
#include "rehearse/runs/rehearsal_entry.hpp"

namespace epochcast {

/// What is known of a rehearsal before it is computed.
struct TimedJob {
  /// What is learned, shared by clusters on which it is the same; without a name: learned anew on
  /// each.
  LearningJob learning = {};
  /// Another job that has learned epochs which this one, whose workers follow losses, has not; they
  /// are part of `entry`. Without a name: none.
  struct Alike {
    std::string name = {};
    std::int64_t epochs = 0;  ///< in which they are the same
  };
  Alike alike = {};
  /// Why it has to be learned, although something with these settings was; empty: nothing was, or
  /// it need not be.
  std::string reason = {};
  /// What was learned earlier, with the times of this cluster; absent: nothing.
  std::optional<RehearsalEntry> entry = {};
};

/// Times a job on its simulated cluster, without numbers, and looks for what it learns among traces
/// in `folder`. `others`: jobs that may begin as one does whose workers follow losses. One call per
/// process, which has one SimGrid engine. Throws a UserError.
[[nodiscard]] TimedJob time_job(const JobConfig& config,
                                const Job& job,
                                const Catalog& catalog,
                                const std::filesystem::path& program,
                                const std::filesystem::path& folder,
                                const std::vector<LearningJob>& others = {});

/// The same as text, for another process, and back. Throws a UserError about `file`, where the
/// entry is to be kept.
[[nodiscard]] std::string to_text(const TimedJob& timed);
[[nodiscard]] TimedJob timed_job_from(const std::string& text, const std::filesystem::path& file);

}  // namespace epochcast
