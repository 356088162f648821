// SPDX-License-Identifier: Apache-2.0
#include "analysis/validate/run_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace epochcast {
namespace {

constexpr double kNormal95 = 1.6448536269514722;  // its 95 % quantile

}  // namespace

std::optional<double> share_below(const RunResult& forecast, double measured_s) {
  if (!forecast.epoch_s_interval) return std::nullopt;
  const double median_s = forecast.epoch_s;
  if (measured_s == median_s) return 0.5;
  const bool is_below = measured_s < median_s;
  const double bound_s =
      is_below ? forecast.epoch_s_interval->low_s : forecast.epoch_s_interval->high_s;
  const bool has_width = is_below ? bound_s < median_s : bound_s > median_s;
  if (!has_width || !(measured_s > 0) || !(median_s > 0)) return is_below ? 0 : 1;
  if (!(bound_s > 0)) return 0.5;  // as wide as logarithms go
  const double width = std::abs(std::log(bound_s / median_s)) / kNormal95;
  return 0.5 * std::erfc(-std::log(measured_s / median_s) / width / std::numbers::sqrt2);
}

std::optional<double> ks_distance(std::vector<double> shares) {
  if (shares.empty()) return std::nullopt;
  std::sort(shares.begin(), shares.end());
  const auto count = static_cast<double>(shares.size());
  double distance = 0;
  double before = 0;  // how many are smaller
  for (const double share : shares) {
    distance = std::max({distance, (before + 1) / count - share, share - before / count});
    ++before;
  }
  return distance;
}

double at_most(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  // 95 % of 20 are 19, whatever the product's last digit is.
  const double rank = std::ceil(share * static_cast<double>(values.size()) - 1e-9);
  const auto nth = values.begin() + std::max<std::ptrdiff_t>(0, std::lround(rank) - 1);
  std::nth_element(values.begin(), nth, values.end());
  return *nth;
}

}  // namespace epochcast
