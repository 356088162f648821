// SPDX-License-Identifier: Apache-2.0
#include "analysis/calibrate/warm_up.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/costs/batch_cost.hpp"

namespace epochcast {
namespace {

constexpr double kDeviations = 3.75;

/// Every sample's rank among all, from 1; equal samples share their mean rank.
std::vector<double> ranks_of(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> ranks;
  for (const double sample : samples) {
    const auto [low, high] = std::equal_range(sorted.begin(), sorted.end(), sample);
    ranks.push_back((static_cast<double>(low - sorted.begin()) + 1 +
                     static_cast<double>(high - sorted.begin())) /
                    2);
  }
  return ranks;
}

/// The number of samples before the change point of the series, at most `limit`; 0 without
/// one.
std::size_t change_in(std::span<const double> samples, std::size_t limit) {
  const std::vector<double> ranks = ranks_of(samples);
  const auto count = static_cast<double>(samples.size());
  std::size_t change = 0;
  double most = kDeviations;
  double sum = 0;
  for (std::size_t i = 0; i < limit && i + 1 < ranks.size(); ++i) {
    sum += ranks[i];
    const auto before = static_cast<double>(i + 1);
    const double expected = before * (count + 1) / 2;
    const double variance = before * (count - before) * (count + 1) / 12;
    const double deviations = std::abs(sum - expected) / std::sqrt(variance);
    if (deviations <= most) continue;
    most = deviations;
    change = i + 1;
  }
  return change;
}

/// Whether samples after the change return to the level before it.
bool comes_back(std::span<const double> samples, std::size_t change) {
  const std::span<const double> before = samples.first(change);
  std::vector<double> behind(samples.begin() + static_cast<std::ptrdiff_t>(change), samples.end());
  std::sort(behind.begin(), behind.end());
  const double level = median_of({before.begin(), before.end()});
  return level >= quantile_of(behind, 0.05) && level <= quantile_of(behind, 0.95);
}

}  // namespace

WarmUp warm_up_of(std::span<const double> samples) {
  WarmUp warm_up;
  while (true) {
    const std::span<const double> rest = samples.subspan(warm_up.samples);
    const std::size_t change = change_in(rest, samples.size() / 2 - warm_up.samples);
    if (change == 0 || comes_back(rest, change)) {
      warm_up.is_steady = change_in(rest, rest.size()) == 0;
      return warm_up;
    }
    warm_up.samples += change;
  }
}

}  // namespace epochcast
