// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/fabric.hpp"
#include "core/formats/cost_trace.hpp"

namespace epochcast {

/// Bytes of memory that kernels of compressions read and write in a second: on a CPU core, the
/// median of all kernels of compression/ on all gradients of resnet20 (2026-11-29, Intel Xeon
/// (Sapphire Rapids), 2 cores, KVM; 1.3 to 19 GB/s), and on other devices this share of their
/// memory bandwidth (assumed), or two thirds of a V100's 900 GB/s if it is unknown.
inline constexpr double kCpuMovedBytesPerSecond = 3e9;
inline constexpr double kMovedShareOfBandwidth = 2.0 / 3;
inline constexpr double kGpuMovedBytesPerSecond = 600e9;

/// Seconds of the kernels of one compression on a device: measured ones where a trace has them,
/// else estimated from the bytes that they move.
///
/// Between the measured sizes of a kernel, seconds are interpolated linearly by moved bytes;
/// outside of them they are proportional to those of the nearest size.
class KernelCost {
 public:
  KernelCost() = default;
  /// `memory_bytes_per_s`: of the device; 0: unknown.
  KernelCost(const std::vector<KernelSamples>& samples,
             std::string_view compression,
             double memory_bytes_per_s = 0);

  /// Whether any kernel of the compression was measured.
  [[nodiscard]] bool is_measured() const { return !seconds_.empty(); }
  [[nodiscard]] double seconds(const WorkerInfo& device,
                               std::string_view kernel,
                               double moved_bytes) const;

 private:
  [[nodiscard]] double estimated_seconds(const WorkerInfo& device, double moved_bytes) const;

  double memory_bytes_per_s_ = 0;
  /// Mean seconds by moved bytes, by kernel.
  std::map<std::string, std::map<double, double>, std::less<>> seconds_;
};

}  // namespace epochcast
