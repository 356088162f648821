// SPDX-License-Identifier: Apache-2.0
#include "core/costs/kernel_cost.hpp"

#include <cmath>
#include <iterator>
#include <numeric>

namespace epochcast {

KernelCost::KernelCost(const std::vector<KernelSamples>& samples,
                       std::string_view compression,
                       double memory_bytes_per_s)
    : memory_bytes_per_s_(memory_bytes_per_s) {
  for (const KernelSamples& each : samples) {
    if (each.compression != compression || each.seconds.empty()) continue;
    const double sum_s = std::accumulate(each.seconds.begin(), each.seconds.end(), 0.0);
    seconds_[each.kernel][each.moved_bytes] = sum_s / static_cast<double>(each.seconds.size());
  }
}

double KernelCost::estimated_seconds(const WorkerInfo& device, double moved_bytes) const {
  double rate = kGpuMovedBytesPerSecond;
  if (device.device_class == "cpu")
    rate = kCpuMovedBytesPerSecond;
  else if (memory_bytes_per_s_ > 0)
    rate = kMovedShareOfBandwidth * memory_bytes_per_s_;
  return moved_bytes / rate * device.sharers;
}

double KernelCost::seconds(const WorkerInfo& device,
                           std::string_view kernel,
                           double moved_bytes) const {
  const auto measured = seconds_.find(kernel);
  if (measured == seconds_.end()) return estimated_seconds(device, moved_bytes);
  const std::map<double, double>& points = measured->second;
  const auto above = points.lower_bound(moved_bytes);
  if (above != points.begin() && above != points.end()) {
    const auto below = std::prev(above);
    const double place = (moved_bytes - below->first) / (above->first - below->first);
    return std::lerp(below->second, above->second, place);
  }
  const auto& [bytes, seconds] = above == points.end() ? *points.rbegin() : *above;
  return seconds * moved_bytes / bytes;
}

}  // namespace epochcast
