// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "real/torch/networks/torch_network.hpp"

namespace epochcast::real {

/// VGG-16 (Simonyan and Zisserman, ICLR 2015, table 1, column D). Images of up to 64 rows get the
/// CIFAR network of kuangliu/pytorch-cifar: batch norm after each convolution, one linear layer.
/// Larger ones get torchvision's vgg16: no batch norm, maps averaged to 7 x 7, three linear layers
/// with dropout. Initialised as torchvision does.
class Vgg16 : public TorchNetwork {
 public:
  /// Five pools need at least 32 x 32 pixels.
  Vgg16(std::span<const std::int64_t> shape, std::int64_t classes);

  torch::Tensor forward(torch::Tensor samples) override;

 private:
  bool is_large_;
  torch::nn::Sequential features_ = nullptr;
  torch::nn::Sequential large_classifier_ = nullptr;
  torch::nn::Linear small_classifier_ = nullptr;
};

}  // namespace epochcast::real
