// SPDX-License-Identifier: Apache-2.0
// Texts about runs that are not ranked; see is_ranked().
#pragma once

#include <string>
#include <string_view>

#include "results/ranked_run.hpp"

namespace epochcast {

/// Title of such runs, below the ranked ones.
inline constexpr std::string_view kNotRanked =
    "Not ranked: all workers average at most once an epoch, and learn less from as many samples:";

/// Note for every ranking and answer.
inline constexpr std::string_view kAccuracyIsElsewhere =
    "How accurate the model gets is not compared here, but by epochcast choose.";

/// The reason why a run is not ranked, with results of rehearsals: "not ranked: averages all
/// workers once an epoch; rehearsed: ...". Empty for a run that is ranked.
[[nodiscard]] std::string why_not_ranked(const RunResult& run);

}  // namespace epochcast
