// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "real/torch/networks/torch_network.hpp"

namespace epochcast::real {

/// LeNet-5 (LeCun et al. 1998, figure 2) with ReLU and max-pool and without its layer F6: two 5x5
/// convolutions (6 and 16 channels) and two linear layers. Images below 32 x 32 are padded to that.
class SmallCnn : public TorchNetwork {
 public:
  SmallCnn(std::span<const std::int64_t> shape, std::int64_t classes);

  torch::Tensor forward(torch::Tensor samples) override;

 private:
  torch::nn::Conv2d convolution1_ = nullptr;
  torch::nn::Conv2d convolution2_ = nullptr;
  torch::nn::Linear linear1_ = nullptr;
  torch::nn::Linear linear2_ = nullptr;
};

}  // namespace epochcast::real
