// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compression/compression.hpp"
#include "core/formats/cost_trace.hpp"
#include "real/measure/sampling/loopback_fabric.hpp"

namespace epochcast::real {

/// Times the kernels of a job's compression, without its warm-up, on a device's gradients.
class KernelProbe : private KernelObserver {
 public:
  /// `config`: its compression and the settings of that. `gradients`: copied before each exchange;
  /// they must outlive the probe. `tensors`: in them, in the order of their numbers. Throws a
  /// UserError if there is no such compression.
  KernelProbe(const JobConfig& config, std::span<const float> gradients, TensorShapes tensors);

  /// Exchanges the gradients once; `is_kept`: its times count.
  void exchange(bool is_kept);
  /// Seconds of all kernels in exchanges that count.
  [[nodiscard]] double seconds() const { return seconds_; }
  /// Exchanges that count.
  [[nodiscard]] std::int64_t exchanges() const { return exchanges_; }

  /// The times that count, by kernel, in the order of the kernels.
  [[nodiscard]] const std::vector<KernelSamples>& samples() const { return samples_; }

 private:
  void kernel(std::string_view what, double moved_bytes) override;

  std::string name_;
  std::unique_ptr<Compression> compression_;
  std::span<const float> gradients_;
  TensorShapes tensors_;
  std::vector<float> bucket_;
  LoopbackFabric fabric_;
  std::vector<KernelSamples> samples_;
  double last_s_ = 0;  ///< end of the last kernel
  double seconds_ = 0;
  std::int64_t exchanges_ = 0;
  bool is_kept_ = false;
};

/// The numbers of all tensors.
[[nodiscard]] std::int64_t numbers_of(const TensorShapes& tensors);
/// The first tensors that together have at most so many numbers, but at least one of them.
[[nodiscard]] TensorShapes first_tensors(const TensorShapes& tensors, std::int64_t count);

}  // namespace epochcast::real
