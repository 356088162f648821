// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results/result.hpp"

namespace epochcast {

/// Whether a run may be ranked by the time for as many samples as the data set has: a model has to
/// learn about as much from a sample as in sync. It may not if workers exchange at most once an
/// epoch but make several steps in it (docs/rehearsals.md has the effect).
[[nodiscard]] bool is_ranked(const RunResult& run);

}  // namespace epochcast
