// SPDX-License-Identifier: Apache-2.0
// What is said of runs that are not ranked, as is_ranked() has it.
#pragma once

#include <string>
#include <string_view>

#include "core/formats/ranked_run.hpp"

namespace epochcast {

/// Above such runs, below those that are ranked.
inline constexpr std::string_view kNotRanked =
    "Not ranked: all workers average at most once an epoch, and learn less from as many samples:";

/// Beside every ranking and answer.
inline constexpr std::string_view kAccuracyIsElsewhere =
    "How accurate the model gets is not compared here, but by epochcast rehearse.";

/// Why a run is not ranked, with what rehearsals found: "not ranked: averages all workers once an
/// epoch; rehearsed: ...". Empty for a run that is ranked.
[[nodiscard]] std::string why_not_ranked(const RunResult& run);

}  // namespace epochcast
