// SPDX-License-Identifier: Apache-2.0
// The outer optimizer of DiLoCo and of its relatives.
#pragma once

#include "strategies/strategy.hpp"

namespace epochcast {

/// --outer-rate and --outer-momentum.
[[nodiscard]] const StrategySetting& outer_rate_setting();
[[nodiscard]] const StrategySetting& outer_momentum_setting();

/// SGD with Nesterov momentum, as PyTorch has it, on what the workers have moved in the mean, with
/// the job's rate and momentum. Rate 1 without momentum leaves the average, bit by bit.
[[nodiscard]] OuterStep nesterov_step(const JobConfig& config);

}  // namespace epochcast
