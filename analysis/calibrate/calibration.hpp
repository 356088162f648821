// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analysis/calibrate/all_reduce_checks.hpp"
#include "analysis/calibrate/network_fit.hpp"

namespace epochcast {

/// The fit of a trace and its errors for the trace's own all-reduces.
struct Calibration {
  NetworkFit fit;
  std::vector<AllReduceCheck> checks;
};

/// Fits the trace and checks it. The error for large all-reduces, which are not part of the fit,
/// adds to the uncertainty of its messages (root of the sum of squares); those of the library are
/// left out. Throws a UserError for traces that cannot be fitted, or with an uncertainty above
/// kMostUncertainty.
[[nodiscard]] Calibration calibrate(const MessageTrace& trace);

}  // namespace epochcast
