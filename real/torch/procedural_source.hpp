// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <span>

namespace epochcast::real {

/// A batch in host memory: float32 samples [batch, shape...], pixels around zero or token numbers;
/// int64 labels [batch].
struct HostBatch {
  torch::Tensor samples;
  torch::Tensor labels;
};

/// Samples made from a seed. Images are stored as bytes the way CIFAR stores them, so that loading
/// a batch costs what it costs with real images: gather, convert to float32, normalise; texts,
/// which are samples of shape {tokens}, as 64-bit token numbers between 1 and 30,000. A sample is
/// its class's pattern plus noise; one label in ten is random, which keeps the loss and the
/// gradients from vanishing in a long measurement.
class ProceduralSource {
 public:
  ProceduralSource(std::span<const std::int64_t> shape, std::int64_t classes, std::uint64_t seed);

  /// A batch drawn at random, with replacement.
  [[nodiscard]] HostBatch next(std::int64_t batch);

 private:
  void make_images(std::span<const std::int64_t> shape, std::int64_t classes);
  void make_texts(std::span<const std::int64_t> shape, std::int64_t classes);

  torch::Generator generator_;
  bool is_text_;
  torch::Tensor samples_;  ///< uint8, or int64 for texts [pool, shape...]
  torch::Tensor labels_;   ///< int64 [pool]
};

}  // namespace epochcast::real
