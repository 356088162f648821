// SPDX-License-Identifier: Apache-2.0
#include "core/spread.hpp"

#include <array>
#include <cmath>
#include <cstdio>
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

std::string percent_text(const Spread& share, bool is_single) {
  std::array<char, 48> text{};
  if (is_single) {
    std::snprintf(text.data(), text.size(), "%.2f %%", 100 * share.mean);
  } else {
    std::snprintf(
        text.data(), text.size(), "%.2f ± %.2f %%", 100 * share.mean, 100 * share.deviation);
  }
  return text.data();
}

}  // namespace epochcast
