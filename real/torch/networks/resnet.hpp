// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "real/torch/networks/torch_network.hpp"

namespace epochcast::real {

/// What distinguishes one residual network from another (He et al., CVPR 2016, table 1 and
/// section 4.2).
struct ResNetPlan {
  std::vector<std::int64_t>
      blocks;  ///< residual blocks per stage; a stage halves rows and columns (not the first)
  std::int64_t width = 64;       ///< channels of the first stage; every stage doubles them
  bool has_bottlenecks = false;  ///< blocks of 1x1, 3x3, 1x1 (times 4) instead of 3x3, 3x3
  bool has_padded_shortcuts =
      false;  ///< "option A": subsample and pad with zeros; else a 1x1 convolution ("B")
  std::string head = "fc";  ///< name of the last linear layer
};

[[nodiscard]] ResNetPlan resnet18_plan();
[[nodiscard]] ResNetPlan resnet20_plan();
[[nodiscard]] ResNetPlan resnet34_plan();
[[nodiscard]] ResNetPlan resnet50_plan();
[[nodiscard]] ResNetPlan resnet101_plan();

/// A residual network. Images of up to 64 x 64 pixels get the CIFAR stem (3x3 convolution, stride
/// 1), larger ones the ImageNet stem (7x7, stride 2, and max-pool); ResNet-20 always has the
/// former.
class ResNet : public TorchNetwork {
 public:
  ResNet(const ResNetPlan& plan, std::span<const std::int64_t> shape, std::int64_t classes);

  torch::Tensor forward(torch::Tensor samples) override;

 private:
  bool has_large_stem_;
  torch::nn::Conv2d stem_convolution_ = nullptr;
  torch::nn::BatchNorm2d stem_norm_ = nullptr;
  std::vector<torch::nn::Sequential> stages_;
  torch::nn::Linear head_ = nullptr;
};

}  // namespace epochcast::real
