// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/formats/platform.hpp"
#include "core/job/job_config.hpp"
#include "results/result.hpp"

namespace epochcast {

/// The beginning of notes about missing prices, or missing power.
inline constexpr std::string_view kNoCost = "no cost: ";
inline constexpr std::string_view kNoEnergy = "no energy: ";

/// Adds the cost and the energy of the job's nodes to a result with times (formulas in
/// docs/cost-and-energy.md). A note names nodes and devices whose price or power the platform
/// lacks.
void add_running_bill(RunResult& result, const Platform& platform, const JobConfig& config);

}  // namespace epochcast
