// SPDX-License-Identifier: Apache-2.0
#include "core/costs/cold_start.hpp"

#include <algorithm>
#include <cstddef>

#include "core/costs/batch_cost.hpp"

namespace epochcast {
namespace {

constexpr std::size_t kFirst = 3;
constexpr double kWarmUp_s = 0.1;

/// How many batches begin.
std::size_t beginning(const std::vector<double>& seconds) {
  double all_s = 0;
  std::size_t batches = 0;
  while (batches < seconds.size() && (batches < kFirst || all_s < kWarmUp_s))
    all_s += seconds[batches++];
  return batches;
}

}  // namespace

double cold_start_s(const std::vector<double>& seconds) {
  const std::size_t batches = beginning(seconds);
  if (batches < kFirst || seconds.size() < 2 * batches) return 0;
  const auto begin = seconds.begin();
  const auto first = begin + static_cast<std::ptrdiff_t>(kFirst);
  const auto warm = begin + static_cast<std::ptrdiff_t>(batches);
  const double later_s = median_of({warm, seconds.end()});
  double more_s = 0;
  for (auto each = begin; each != first; ++each) more_s += *each - later_s;
  if (first != warm)
    more_s += static_cast<double>(batches - kFirst) * (median_of({first, warm}) - later_s);
  return std::max(0.0, more_s);
}

}  // namespace epochcast
