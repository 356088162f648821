// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/formats/platform.hpp"
#include "core/formats/result.hpp"
#include "core/job/job_config.hpp"

namespace epochcast {

/// How a note begins that tells of whose price, or power, a bill lacks.
inline constexpr std::string_view kNoCost = "no cost: ";
inline constexpr std::string_view kNoEnergy = "no energy: ";

/// Adds to a result whose times are known what the job's nodes cost and draw, as far as the
/// platform says (docs/cost-and-energy.md has the formulas). Where it says it of some of them only,
/// a note tells of whom not.
void add_running_bill(RunResult& result, const Platform& platform, const JobConfig& config);

}  // namespace epochcast
