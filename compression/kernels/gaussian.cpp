// SPDX-License-Identifier: Apache-2.0
#include "compression/kernels/gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace epochcast {
namespace {

constexpr int kMostCorrections = 3;
constexpr int kBisections = 60;
constexpr double kFarthest = 38;  // beyond it the probability is below the smallest double

}  // namespace

double two_sided_quantile(double share) {
  double low = 0;
  double high = kFarthest;
  for (int i = 0; i < kBisections; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::numbers::sqrt2) > share ? low : high) = middle;
  }
  return share >= 1 ? 0 : high;
}

std::vector<SparseEntry> select_by_gaussian(std::span<const float> values, std::int64_t k) {
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  double squares = 0;
  for (const float value : values) {
    sum += static_cast<double>(value);
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  const double mean = sum / count;
  const double deviation = std::sqrt(std::max(0.0, squares / count - mean * mean));
  const auto wanted = static_cast<double>(k);
  double threshold = std::max(0.0, mean + two_sided_quantile(wanted / count) * deviation);
  // All of them: a threshold beside a mean that is not zero would lose some.
  if (k == std::ssize(values)) threshold = 0;
  for (int i = 0; i <= kMostCorrections; ++i) {
    std::vector<SparseEntry> selected = select_above(values, static_cast<float>(threshold));
    const auto found = static_cast<double>(selected.size());
    const bool is_last = i == kMostCorrections;
    if (is_last || (3 * found >= 2 * wanted && 3 * found <= 4 * wanted)) return selected;
    threshold *= 3 * found < 2 * wanted ? 0.5 : 1.5;
  }
  return {};
}

}  // namespace epochcast
