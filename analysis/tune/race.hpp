// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/tune/tuning.hpp"

namespace epochcast {

/// The candidates of tune() after the race, before any test. Places are those of candidates.
struct Race {
  Metric metric = Metric::accuracy;
  std::vector<CandidateOutcome> outcomes;  ///< by candidate, without means over seeds
  std::vector<std::size_t> finalists;      ///< rehearsed with every seed, to the target or the end
};

/// Rehearses the candidates: see tune().
[[nodiscard]] Race race(const std::vector<Candidate>& candidates,
                        const TuningPlan& plan,
                        const RehearseTo& rehearse);

/// The metric of each seed after these seconds.
[[nodiscard]] std::vector<double> values_after(const CandidateOutcome& outcome,
                                               Metric metric,
                                               double seconds);

}  // namespace epochcast
