// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/calibrate/all_reduce_checks.hpp"
#include "analysis/calibrate/network_fit.hpp"

namespace epochcast {

/// The quality of a fit by all-reduces that are not part of it, and advice: one line. A median
/// error of at most 10 % is good, of 25 % usable for ranking; beyond, the measurements are poor.
/// With a worst error beyond that, it is so for most sizes. The size of the worst is stated.
[[nodiscard]] std::string judgement(const std::vector<AllReduceCheck>& checks);

/// A self-contained page: measured and fitted costs of messages, and forecast and measured
/// all-reduces that are not part of the fit. `command`: the command line.
[[nodiscard]] std::string calibration_html(const NetworkFit& fit,
                                           const std::vector<AllReduceCheck>& checks,
                                           const std::string& title,
                                           const std::string& command);

}  // namespace epochcast
