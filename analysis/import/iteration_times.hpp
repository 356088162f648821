// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/import/profile.hpp"
#include "core/costs/batch_cost.hpp"

namespace epochcast {

/// One iteration of a rank.
struct IterationTimes {
  std::int64_t number = 0;  ///< N of ProfilerStep#N
  double start_s = 0;       ///< in the profile
  double end_s = 0;         ///< on the GPU, if that is still busy
  double compute_s = 0;     ///< all but the exposed communication
  double exposed_s = 0;     ///< collectives in progress during no computation
  BatchTimes parts = {};    ///< of compute_s; see RankIterations::has_parts()
};

/// The iterations of a rank.
struct RankIterations {
  std::vector<IterationTimes> iterations;  ///< ascending
  bool are_kernels_launched = true;        ///< the launch of every kernel is known
  bool is_run_ahead = false;  ///< the CPU ran ahead of the GPU: iterations are the GPU's periods

  /// Whether parts distinguish the phases: every iteration has a backward pass and a step.
  [[nodiscard]] bool has_parts() const;
};

/// The time of every iteration, and of its parts.
///
/// An iteration is its ProfilerStep annotation. If kernels outlast the annotation in which they
/// were launched, the CPU runs ahead, and an iteration is the time from the first kernel launched
/// in it to the first kernel launched in the next; the last one is then left out. Every moment
/// belongs to one activity (see Activity); idle time belongs to the next activity, at the end of
/// an iteration to the last one. Throws a UserError when there are no iterations, or they
/// overlap.
[[nodiscard]] RankIterations iteration_times(const Profile& profile);

}  // namespace epochcast
