// SPDX-License-Identifier: Apache-2.0
// Jobs that begin alike, such as one whose averaging period grows and one whose period is constant,
// learn the same until they differ: what one of them has learned is the beginning of the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rehearse/runs/learning_trace.hpp"
#include "rehearse/runs/rehearsal_folder.hpp"

namespace epochcast {

/// What one job learns.
struct LearningJob {
  std::string name = {};  ///< of its trace; jobs with the same one learn the same
  std::vector<std::string> beginnings = {};  ///< RehearsedTime::beginnings(); empty: shares nothing
  bool follows_losses = false;               ///< beginnings are those up to the first unknown loss
  std::int64_t epochs = 0;                   ///< learned so far
};

/// Epochs in which both learn the same.
[[nodiscard]] std::int64_t common_epochs(const LearningJob& one, const LearningJob& other);

/// Which of several jobs learn now, by their indices.
struct LearningPlan {
  /// One that begins as another does, further than either has learned, and waits for it.
  struct Follower {
    std::size_t index = 0;
    std::size_t leader = 0;
    std::int64_t epochs = 0;  ///< in which they are the same
  };
  std::vector<std::size_t> first;
  std::vector<Follower> followers;
};
/// Jobs that learn the same are planned once. `open`: those that need more epochs.
[[nodiscard]] LearningPlan plan_learning(const std::vector<LearningJob>& jobs,
                                         const std::vector<std::size_t>& open);

/// What was learned in the first `epochs` epochs, or until it ended in them.
[[nodiscard]] LearningTrace beginning_of(LearningTrace trace, std::int64_t epochs);

/// Gives a job what another has learned in their `common` epochs, if that is more than its own
/// trace has. Its state becomes that of the other if the other ended within them. Throws a RunError
/// when a file cannot be written.
void hand_on(const RehearsalFiles& from, const RehearsalFiles& to, std::int64_t common);

}  // namespace epochcast
