// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace epochcast {

/// At least one value.
[[nodiscard]] double mean_of(const std::vector<double>& values);

/// The sample standard deviation (of the population, estimated from a sample); 0 for one value.
[[nodiscard]] double deviation_of(const std::vector<double>& values);

/// Mean and standard deviation over seeds.
struct Spread {
  double mean = 0;
  double deviation = 0;
};
/// At least one value.
[[nodiscard]] Spread spread_of(const std::vector<double>& values);

/// "54.40 %": a share with so many decimals.
[[nodiscard]] std::string format_percent(double share, int decimals);
/// "54.40 ± 1.20 %" of shares; without the deviation of a single value.
[[nodiscard]] std::string percent_text(const Spread& share, bool is_single);

}  // namespace epochcast
