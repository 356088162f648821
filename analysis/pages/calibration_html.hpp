// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/calibrate/all_reduce_checks.hpp"
#include "analysis/calibrate/network_fit.hpp"

namespace epochcast {

/// How good a fit is by the all-reduces that it has not seen, and what to do: one line. Half of
/// them off by 10 % at most is good, by 25 % usable for ranking; beyond, messages were measured
/// badly. Where the worst is beyond that, it says so.
[[nodiscard]] std::string judgement(const std::vector<AllReduceCheck>& checks);

/// A page that needs nothing else: what messages took and what the fit says of them, and
/// all-reduces that the fit has not seen, forecast against measured. `command`: how it came about.
[[nodiscard]] std::string calibration_html(const NetworkFit& fit,
                                           const std::vector<AllReduceCheck>& checks,
                                           const std::string& title,
                                           const std::string& command);

}  // namespace epochcast
