// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/tune/tuning.hpp"

namespace epochcast {

/// The candidates of tune() after the last rung, before any test. Places are those of candidates.
struct Race {
  Metric metric = Metric::accuracy;
  std::vector<CandidateOutcome> outcomes;  ///< by candidate, without means over seeds
  std::vector<std::size_t> finalists;
  std::vector<std::size_t> racers;  ///< of the last rung, not diverged
};

/// Rehearses the candidates rung by rung: see tune().
[[nodiscard]] Race race(const std::vector<Candidate>& candidates,
                        const TuningPlan& plan,
                        const RehearseTo& rehearse);

/// The number of seeds that reached the target within the seconds of the rung: an epoch that is
/// longer than a rung may reach it later, after others. 0 without a target.
[[nodiscard]] int seeds_there(const CandidateOutcome& outcome, const TuningPlan& plan);

/// The metric of each seed after these seconds; infinite losses without a test.
[[nodiscard]] std::vector<double> values_after(const CandidateOutcome& outcome,
                                               Metric metric,
                                               double seconds);

}  // namespace epochcast
