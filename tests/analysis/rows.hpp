// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/validate/validation.hpp"

namespace epochcast::tests {

/// A run of `strategy` that only computes.
[[nodiscard]] RunResult run_of(const std::string& strategy, double epoch_s);

/// A row of group "g" with strategy "sync" and no interval.
[[nodiscard]] ValidationRow row_of(const std::string& point,
                                   double forecast_s,
                                   const std::vector<double>& measured_s);

/// The same with a forecast's interval.
[[nodiscard]] ValidationRow row_of(const std::string& point,
                                   double forecast_s,
                                   Interval interval,
                                   const std::vector<double>& measured_s);

/// A row without measurement.
[[nodiscard]] ValidationRow failed_row(const std::string& point, const std::string& problem);

}  // namespace epochcast::tests
