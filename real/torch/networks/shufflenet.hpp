// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "real/torch/networks/torch_network.hpp"

namespace epochcast::real {

/// ShuffleNet V2 1x (Ma et al., ECCV 2018, table 5); layers and initialisation (LibTorch's) as in
/// torchvision. Images of up to 64 rows get the stem of kuangliu/pytorch-cifar (stride 1, no
/// max-pool), larger ones the ImageNet stem (stride 2 and max-pool).
class ShuffleNetV2 : public TorchNetwork {
 public:
  ShuffleNetV2(std::span<const std::int64_t> shape, std::int64_t classes);

  torch::Tensor forward(torch::Tensor samples) override;

 private:
  bool is_large_;
  torch::nn::Sequential stem_ = nullptr;
  std::vector<torch::nn::Sequential> stages_;
  torch::nn::Sequential last_ = nullptr;
  torch::nn::Linear head_ = nullptr;
};

}  // namespace epochcast::real
