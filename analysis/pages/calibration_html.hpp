// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/calibrate/calibrated_platform.hpp"
#include "analysis/calibrate/network_fit.hpp"

namespace epochcast {

/// A page that needs nothing else: what messages took and what the fit says of them, and
/// all-reduces that the fit has not seen, forecast against measured. `command`: how it came about.
[[nodiscard]] std::string calibration_html(const NetworkFit& fit,
                                           const std::vector<AllReduceCheck>& checks,
                                           const std::string& title,
                                           const std::string& command);

}  // namespace epochcast
