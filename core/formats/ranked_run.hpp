// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/formats/result.hpp"

namespace epochcast {

/// Whether a run may be ranked by the time for as many samples as the data set has: a model has to
/// learn about as much from a sample as in sync. It is not where workers meet at most once an epoch
/// although they make several steps in it: docs/rehearsals.md has what that costs.
[[nodiscard]] bool is_ranked(const RunResult& run);

}  // namespace epochcast
