// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analysis/forecast/sweep.hpp"
#include "analysis/tune/tuning.hpp"

namespace epochcast {

/// The candidates of a tuner.
struct TuningChoice {
  std::vector<Candidate> candidates;
  std::vector<JobConfig> configs;  ///< by candidate
};

/// Every combination of the axes' values, forecast with all epochs, for every strategy of the
/// configuration ("node-based,local-sgd"). The averaging period is always an axis: unless it
/// is given, 1, 2, 4, ... up to an epoch, and always the default (K' = an epoch, H = 32).
/// Throws a UserError when there is nothing to choose from, or a combination cannot be
/// simulated.
[[nodiscard]] TuningChoice choice_of(const std::vector<SweepAxis>& axes, const JobConfig& config);

}  // namespace epochcast
