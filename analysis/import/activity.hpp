// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analysis/import/profile.hpp"

namespace epochcast {

/// The activity of a rank, in order of priority: of several at once, the first counts.
enum class Activity { backward, step, forward, load, communication };
constexpr int kActivities = 5;

/// A stretch of one activity.
struct Stretch {
  double start_s = 0;
  double end_s = 0;
  Activity activity = Activity::forward;
};

/// The activities of a rank's CPU threads: an operator belongs to the enclosing phase on its own
/// thread (communication calls inside a phase are communication), else to forward. One list per
/// thread, ascending and disjoint.
[[nodiscard]] std::vector<std::vector<Stretch>> thread_activities(const Profile& profile);

/// The activities of a rank on all its threads and GPUs. If it computes on a GPU, the GPU decides:
/// a kernel belongs to the phase in which it was launched, and of its CPU threads only the waiting
/// for data counts.
struct RankActivity {
  std::vector<Stretch> stretches;     ///< in no order, of all threads, kernels and transfers
  bool has_kernels = false;           ///< computes on a GPU
  bool are_kernels_launched = true;   ///< the launch of every kernel is known
  std::vector<double> launch_s;       ///< by kernel, in the order of the profile's events
  std::vector<ProfileEvent> kernels;  ///< computing and copying
};
[[nodiscard]] RankActivity activity_of(const Profile& profile);

}  // namespace epochcast
