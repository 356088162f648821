// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "real/torch/networks/torch_network.hpp"

namespace epochcast::real {

/// Which wide residual network; `depth` counts convolutions, 4 more than a multiple of 6.
struct WideResNetPlan {
  std::int64_t depth = 28;
  std::int64_t widening = 10;  ///< channels are this many times 16, 32 and 64
};

[[nodiscard]] WideResNetPlan wide_resnet16_plan();  ///< WRN-16-8
[[nodiscard]] WideResNetPlan wide_resnet28_plan();  ///< WRN-28-10

/// A wide residual network without dropout (Zagoruyko and Komodakis, BMVC 2016, table 1), batch
/// norm and ReLU before each convolution; tensors as in xternalz/WideResNet-pytorch. The CIFAR
/// network whatever the size of the images.
class WideResNet : public TorchNetwork {
 public:
  WideResNet(const WideResNetPlan& plan, std::span<const std::int64_t> shape, std::int64_t classes);

  torch::Tensor forward(torch::Tensor samples) override;

 private:
  torch::nn::Conv2d stem_ = nullptr;
  std::vector<torch::nn::Sequential> stages_;
  torch::nn::BatchNorm2d norm_ = nullptr;
  torch::nn::Linear head_ = nullptr;
};

}  // namespace epochcast::real
