// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "results/result.hpp"

namespace epochcast::tests {

/// Checks that two forecasts agree in all times and bytes: to 1e-9, since a clock that sums
/// thousands of terms in another order rounds at 1e-16 each time. Phases are differences of clocks,
/// so theirs is 1e-9 of the epoch.
void check_equal(const RunResult& a, const RunResult& b);

/// The same of a strategy's forecast and its full simulation, if its workers keep step. Iterations
/// of servers and of workers that need not keep step are never equal: rounding decides which of two
/// messages comes first. Their mean is known to 2 %. ps-sync continues with the order in which its
/// rounds repeat; others took up to 5 % longer. Epochs of a few exchanges of ad-psgd's pairs differ
/// by up to 6.5 %.
void check_alike(const std::string& strategy, const RunResult& fast, const RunResult& exact);

}  // namespace epochcast::tests
