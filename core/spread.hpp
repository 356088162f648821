// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace epochcast {

/// At least one value.
[[nodiscard]] double mean_of(const std::vector<double>& values);

/// The standard deviation of the population that these are a sample of; 0 for one value.
[[nodiscard]] double deviation_of(const std::vector<double>& values);

/// Mean and standard deviation of what several seeds gave.
struct Spread {
  double mean = 0;
  double deviation = 0;
};
/// At least one value.
[[nodiscard]] Spread spread_of(const std::vector<double>& values);

/// "54.40 %": a share with so many decimals.
[[nodiscard]] std::string format_percent(double share, int decimals);
/// "54.40 ± 1.20 %" of shares; without the deviation when there is a single value behind it.
[[nodiscard]] std::string percent_text(const Spread& share, bool is_single);

}  // namespace epochcast
