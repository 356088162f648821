// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "core/fabric.hpp"

namespace epochcast {

struct OverlapSamples;

/// A larger slowdown counts as this one.
inline constexpr double kMostSlowdown = 1000;

/// The slowdowns of a device: medians of the measured ratios (time beside / time alone) over all
/// samples, from 1 to kMostSlowdown. Unknown without samples. Both together take at most as long as
/// one after the other; if the two hardly overlapped, a ratio is the difference of two noisy times.
[[nodiscard]] OverlapCost measured_overlap(const std::vector<OverlapSamples>& samples);

/// Slowdowns for devices of a class without measurements: measured on one machine, or published.
struct OverlapDefault {
  std::string_view device_class;
  OverlapCost cost;
  std::string_view source;  ///< the machine, its samples and the date, or a publication
  /// Whether forecasts from data sheets charge it; else only calibrate writes it.
  bool is_charged = false;
  double most_batch_slowdown = 1;  ///< if it is charged: the largest published one
};
/// The default of a device class; null if there is none.
[[nodiscard]] const OverlapDefault* overlap_default(std::string_view device_class);

}  // namespace epochcast
