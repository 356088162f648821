// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "real/torch/networks/torch_network.hpp"

namespace epochcast::real {

/// What distinguishes one vision transformer from another.
struct VisionTransformerPlan {
  std::int64_t features = 768;
  std::int64_t heads = 12;
};

[[nodiscard]] VisionTransformerPlan vit_small_plan();  ///< Touvron et al., ICML 2021, table 1
[[nodiscard]] VisionTransformerPlan vit_base_plan();   ///< Dosovitskiy et al., ICLR 2021, table 1

/// Rows and columns of a patch: 4 for images of up to 64 rows, 16 for larger ones.
[[nodiscard]] std::int64_t patch_size(std::span<const std::int64_t> shape);

/// A vision transformer of twelve layers without dropout (Dosovitskiy et al., ICLR 2021, section
/// 3.1); layers and initialisation as in torchvision, so the first scores are all zero.
class VisionTransformer : public TorchNetwork {
 public:
  /// Rows and columns must be multiples of patch_size().
  VisionTransformer(const VisionTransformerPlan& plan,
                    std::span<const std::int64_t> shape,
                    std::int64_t classes);

  torch::Tensor forward(torch::Tensor samples) override;

 private:
  torch::Tensor class_token_;
  torch::nn::Conv2d projection_ = nullptr;
  torch::Tensor positions_;
  torch::nn::Sequential layers_ = nullptr;
  torch::nn::LayerNorm norm_ = nullptr;
  torch::nn::Linear head_ = nullptr;
};

}  // namespace epochcast::real
