// SPDX-License-Identifier: Apache-2.0
#include "base/statistics/spread.hpp"

#include <fmt/core.h>

#include <cmath>
#include <numeric>

namespace epochcast {

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation_of(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double mean = mean_of(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

Spread spread_of(const std::vector<double>& values) {
  return {.mean = mean_of(values), .deviation = deviation_of(values)};
}

std::string format_percent(double share, int decimals) {
  return fmt::format("{:.{}f} %", 100 * share, decimals);
}

std::string percent_text(const Spread& share, bool is_single) {
  if (is_single) return format_percent(share.mean, 2);
  return fmt::format("{:.2f} ± {:.2f} %", 100 * share.mean, 100 * share.deviation);
}

}  // namespace epochcast
