// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fabric.hpp"

namespace epochcast {

/// Bytes of memory that a device reads and writes in a second, if its platform does not state how
/// fast it adds: a CPU core of today, and a GPU of 2017 (V100, 900 GB/s at best).
inline constexpr double kCpuMovedBytesPerSecond = 10e9;
inline constexpr double kGpuMovedBytesPerSecond = 600e9;

/// Estimated seconds of work on exchanged numbers that is limited by memory: reads and writes of so
/// many bytes. A device moves bytes as fast as when it adds received numbers: to add one, it reads
/// two and writes one.
[[nodiscard]] inline double kernel_seconds(const WorkerInfo& device, double moved_bytes) {
  constexpr double kMovedByAdding = 3;
  if (device.reduce_s_per_byte > 0) return moved_bytes / kMovedByAdding * device.reduce_s_per_byte;
  const double rate =
      device.device_class == "cpu" ? kCpuMovedBytesPerSecond : kGpuMovedBytesPerSecond;
  return moved_bytes / rate * device.sharers;
}

}  // namespace epochcast
