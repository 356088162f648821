// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "real/torch/networks/torch_network.hpp"

namespace epochcast::real {

/// DenseNet-121 with growth 32 (Huang et al., CVPR 2017, table 1); layers and initialisation as in
/// torchvision. Images of up to 64 rows get the stem of kuangliu/pytorch-cifar (3x3 convolution
/// without batch norm), larger ones the ImageNet stem (7x7, stride 2, and max-pool).
class DenseNet121 : public TorchNetwork {
 public:
  DenseNet121(std::span<const std::int64_t> shape, std::int64_t classes);

  torch::Tensor forward(torch::Tensor samples) override;

 private:
  torch::nn::Sequential features_ = nullptr;
  torch::nn::Linear classifier_ = nullptr;
};

}  // namespace epochcast::real
