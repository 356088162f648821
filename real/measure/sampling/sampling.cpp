// SPDX-License-Identifier: Apache-2.0
#include "real/measure/sampling/sampling.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>

#include "base/error.hpp"
#include "core/costs/batch_cost.hpp"

namespace epochcast::real {
namespace {

std::vector<double> sorted(std::span<const double> samples) {
  std::vector<double> values(samples.begin(), samples.end());
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace

double clock_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median_interval_width(std::span<const double> samples) {
  constexpr std::size_t kFewest = 6;  // 1 - 2 * (1/2)^6 = 0.969; with five samples it is 0.938
  if (samples.size() < kFewest) {
    return std::numeric_limits<double>::infinity();
  }
  const std::vector<double> values = sorted(samples);
  const auto count = static_cast<double>(values.size());
  const double half_width = 0.98 * std::sqrt(count);
  const double low = std::max(1.0, std::floor(count / 2 - half_width));
  const double high = std::min(count, std::ceil(count / 2 + 1 + half_width));
  const double width =
      values[static_cast<std::size_t>(high) - 1] - values[static_cast<std::size_t>(low) - 1];
  return width / quantile_of(values, 0.5);
}

bool SampleLog::add(double wall_s, double cpu_s) {
  const bool is_preempted =
      rule_.detects_preemption && wall_s > cpu_s * (1 + rule_.preempted_excess);
  if (is_preempted && rule_.drop_preempted) {
    ++dropped_;
    return false;
  }
  preempted_ += is_preempted ? 1 : 0;
  kept_s_.push_back(wall_s);
  return true;
}

bool SampleLog::is_enough(double now_s) const {
  const auto kept = static_cast<std::int64_t>(kept_s_.size());
  const bool is_late = now_s - started_s_ >= rule_.max_s;
  if (kept >= rule_.min_samples) {
    return is_late || kept >= rule_.max_samples ||
           median_interval_width(kept_s_) <= rule_.confidence_width;
  }
  // Below a quarter of undisturbed samples the selection would be biased, or never complete.
  const bool is_hopeless = dropped_ >= 3 * std::max(kept, rule_.min_samples);
  if (is_late && is_hopeless) {
    throw RunError(
        "only " + std::to_string(kept) + " of " + std::to_string(kept + dropped_) +
        " batches ran undisturbed by other processes; measure on an idle machine, with fewer "
        "--threads, or without --drop-preempted");
  }
  return false;
}

}  // namespace epochcast::real
