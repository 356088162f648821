// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/formats/cost_trace.hpp"

namespace epochcast::real {

/// One training batch, timed by the wall clock, and the training thread's CPU time in
/// it.
struct BatchTiming {
  double load_s = 0;      ///< making the batch in host memory and moving it to the device
  double forward_s = 0;   ///< forward pass and loss
  double backward_s = 0;  ///< all gradients
  double step_s = 0;      ///< optimizer step, and clearing the gradients
  double cpu_s = 0;

  /// Wall-clock seconds of the whole batch.
  [[nodiscard]] double batch_s() const { return load_s + forward_s + backward_s + step_s; }
};

/// The measurements at one batch size.
struct BatchCosts {
  std::int64_t batch = 0;
  int rank = 0;                           ///< among those that measured at the same time
  std::vector<BatchTiming> samples = {};  ///< in the order measured
  std::int64_t preempted = 0;             ///< samples kept although another process disturbed them
  std::int64_t dropped = 0;               ///< disturbed samples that were measured again
};

/// The measurements of one network on one kind of sample.
struct NetworkCosts {
  std::string network;
  std::vector<std::int64_t> input = {};  ///< shape of a sample
  std::vector<BatchCosts> batches = {};
  /// In the order in which gradients became ready. A layer's share ends when its gradients are
  /// ready and begins when those of the layer before it were: it includes the work of layers
  /// without parameters in between.
  std::vector<LayerShare> backward_layers = {};
  std::int64_t layers_batch = 0;  ///< batch size at which backward_layers were measured
  std::vector<OverlapSamples> overlap = {};
  std::vector<KernelSamples> kernels = {};
};

}  // namespace epochcast::real
