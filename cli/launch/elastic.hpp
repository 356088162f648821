// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/launch/launch.hpp"
#include "core/job/run_options.hpp"

// Jobs that continue without workers that die. Open MPI ends a job when a rank is gone. So a new
// job of the ranks that remain begins, from the last checkpoint, as torchelastic does.

namespace epochcast {

/// A worker's rank, and its machine.
struct RankPlacement {
  Member member;
  std::string host;  ///< empty: this machine
};

/// The placements of a job: hosts are filled in turn. `hosts` empty: all are on this machine.
[[nodiscard]] std::vector<RankPlacement> placements_on(const std::vector<Host>& hosts, int ranks);
/// The machines of consecutive placements, with their numbers of ranks; none for this machine.
[[nodiscard]] std::vector<Host> hosts_of(const std::vector<RankPlacement>& placements);
/// "0:0,2:0", for --members.
[[nodiscard]] std::string members_text(const std::vector<RankPlacement>& placements);

/// An elastic job, for the function below.
struct ElasticJob {
  std::vector<RankPlacement> placements;  ///< of all its workers
  /// Runs the workers at these places, with more flags for them.
  std::function<CommandEnd(const std::vector<RankPlacement>& placements,
                           const std::vector<std::string>& flags)>
      run;
  /// Whether a machine can be reached.
  std::function<bool(const std::string& host)> answers;
  /// The completed epochs of the last checkpoint; 0 without one.
  std::function<std::int64_t()> epochs_done;
  std::int64_t epochs = 0;  ///< of the job
  /// Shows what happens to users.
  std::function<void(const std::string& line)> say;
};

/// Runs the job to its end, with the workers that there are. A worker that dies is left out from
/// the last checkpoint on, and joins again after the next epoch if its machine answers, but not
/// after a third death. Workers on machines that do not answer at the start join later. Returns how
/// the last run ended: an end without a dead worker, or with the only one, is the job's.
[[nodiscard]] CommandEnd run_elastic(const ElasticJob& job);

}  // namespace epochcast
