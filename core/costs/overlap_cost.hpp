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

/// Slowdowns measured on one machine, for devices of a class without measurements.
struct OverlapDefault {
  std::string_view device_class;
  OverlapCost cost;
  std::string_view source;  ///< the machine, its samples and the date
};
/// The default of a device class; null if none was measured.
[[nodiscard]] const OverlapDefault* overlap_default(std::string_view device_class);

}  // namespace epochcast
