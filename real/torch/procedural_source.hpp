// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <span>

namespace epochcast::real {

/// A batch in host memory: float32 samples [batch, shape...] around zero, int64 labels [batch].
struct HostBatch {
  torch::Tensor samples;
  torch::Tensor labels;
};

/// Samples made from a seed, stored as bytes the way CIFAR stores them, so that loading a batch
/// costs what it costs with real images: gather, convert to float32, normalise. A sample is its
/// class's pattern plus noise; one label in ten is random, which keeps the loss and the gradients
/// from vanishing in a long measurement.
class ProceduralSource {
 public:
  ProceduralSource(std::span<const std::int64_t> shape, std::int64_t classes, std::uint64_t seed);

  /// A batch drawn at random, with replacement.
  [[nodiscard]] HostBatch next(std::int64_t batch);

 private:
  torch::Generator generator_;
  torch::Tensor samples_;  ///< uint8 [pool, shape...]
  torch::Tensor labels_;   ///< int64 [pool]
};

}  // namespace epochcast::real
