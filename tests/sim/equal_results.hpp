// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results/result.hpp"

namespace epochcast::tests {

/// Checks that two forecasts agree in all times and bytes: to 1e-9, since a clock that sums
/// thousands of terms in another order rounds at 1e-16 each time. Phases are differences of clocks,
/// so theirs is 1e-9 of the epoch.
void check_equal(const RunResult& a, const RunResult& b);

}  // namespace epochcast::tests
