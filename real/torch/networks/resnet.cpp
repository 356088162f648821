// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include "real/torch/networks/known_network.hpp"
#include "real/torch/networks/layers.hpp"

namespace epochcast::real {
namespace {

constexpr std::int64_t kBottleneckExpansion = 4;

/// The parameters of a residual network (He et al., CVPR 2016, table 1 and section 4.2).
struct ResNetPlan {
  std::vector<std::int64_t>
      blocks;  ///< residual blocks per stage; a stage halves rows and columns (not the first)
  std::int64_t width = 64;       ///< channels of the first stage; every stage doubles them
  bool has_bottlenecks = false;  ///< blocks of 1x1, 3x3, 1x1 (times 4) instead of 3x3, 3x3
  bool has_padded_shortcuts =
      false;  ///< "option A": subsample and pad with zeros; else a 1x1 convolution ("B")
  std::string head = "fc";  ///< name of the last linear layer
};

struct BlockShape {
  std::int64_t in = 0;
  std::int64_t width = 0;
  std::int64_t out = 0;
  std::int64_t stride = 1;
};

/// Two or three convolutions with their normalisations, with a shortcut around them.
class ResidualBlock : public torch::nn::Module {
 public:
  ResidualBlock(const ResNetPlan& plan, const BlockShape& shape)
      : stride_(shape.stride), padded_channels_(shape.out - shape.in) {
    if (plan.has_bottlenecks) {
      add(convolution(shape.in, shape.width, 1, 1), shape.width);
      add(convolution(shape.width, shape.width, 3, shape.stride), shape.width);
      add(convolution(shape.width, shape.out, 1, 1), shape.out);
    } else {
      add(convolution(shape.in, shape.width, 3, shape.stride), shape.width);
      add(convolution(shape.width, shape.out, 3, 1), shape.out);
    }
    const bool changes_shape = shape.stride != 1 || shape.in != shape.out;
    if (changes_shape && !plan.has_padded_shortcuts) {
      projection_ =
          register_module("downsample",
                          torch::nn::Sequential(convolution(shape.in, shape.out, 1, shape.stride),
                                                torch::nn::BatchNorm2d(shape.out)));
    }
  }

  torch::Tensor forward(const torch::Tensor& input) {
    torch::Tensor output = input;
    for (std::size_t i = 0; i < convolutions_.size(); ++i) {
      output = norms_[i]->forward(convolutions_[i]->forward(output));
      if (i + 1 < convolutions_.size()) {
        output = named(*this, "relu" + std::to_string(i + 1), output.relu_());
      }
    }
    // The shortcut comes last, as in torchvision, so backward reaches it first.
    output += shortcut(input);
    return named(*this, "relu", named(*this, "add", output).relu_());
  }

 private:
  void add(const torch::nn::Conv2d& convolution, std::int64_t channels) {
    const std::string number = std::to_string(convolutions_.size() + 1);
    convolutions_.push_back(register_module("conv" + number, convolution));
    norms_.push_back(register_module("bn" + number, torch::nn::BatchNorm2d(channels)));
  }

  torch::Tensor shortcut(const torch::Tensor& input) {
    using torch::indexing::Slice;
    if (!projection_.is_empty()) {
      return projection_->forward(input);
    }
    if (stride_ == 1 && padded_channels_ == 0) {
      return input;
    }
    const torch::Tensor subsampled = input.index({Slice(),
                                                  Slice(),
                                                  Slice(0, torch::indexing::None, stride_),
                                                  Slice(0, torch::indexing::None, stride_)});
    const std::int64_t before = padded_channels_ / 2;
    return torch::constant_pad_nd(subsampled, {0, 0, 0, 0, before, padded_channels_ - before});
  }

  std::int64_t stride_;
  std::int64_t padded_channels_;
  std::vector<torch::nn::Conv2d> convolutions_;
  std::vector<torch::nn::BatchNorm2d> norms_;
  torch::nn::Sequential projection_ = nullptr;
};

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

ResNet::ResNet(const ResNetPlan& plan, std::span<const std::int64_t> shape, std::int64_t classes)
    : has_large_stem_(!plan.has_padded_shortcuts && is_large_image(shape)) {
  const std::int64_t kernel = has_large_stem_ ? 7 : 3;
  stem_convolution_ =
      register_module("conv1", convolution(shape[0], plan.width, kernel, has_large_stem_ ? 2 : 1));
  stem_norm_ = register_module("bn1", torch::nn::BatchNorm2d(plan.width));

  BlockShape block = {.in = plan.width, .width = plan.width};
  for (std::size_t stage = 0; stage < plan.blocks.size(); ++stage) {
    torch::nn::Sequential blocks;
    for (std::int64_t i = 0; i < plan.blocks[stage]; ++i) {
      block.stride = stage > 0 && i == 0 ? 2 : 1;
      block.out = block.width * (plan.has_bottlenecks ? kBottleneckExpansion : 1);
      blocks->push_back(std::make_shared<ResidualBlock>(plan, block));
      block.in = block.out;
    }
    stages_.push_back(register_module("layer" + std::to_string(stage + 1), blocks));
    block.width *= 2;
  }
  head_ = register_module(plan.head, torch::nn::Linear(block.out, classes));
  initialise_convolutions(*this);
}

torch::Tensor ResNet::forward(torch::Tensor samples) {
  torch::Tensor output = stem_norm_->forward(stem_convolution_->forward(samples));
  output = named(*this, "relu", output.relu_());
  if (has_large_stem_) {
    output = named(*this, "maxpool", torch::max_pool2d(output, 3, 2, 1));
  }
  for (auto& stage : stages_) {
    output = stage->forward(output);
  }
  return head_->forward(named(*this, "avgpool", channel_means(output)));
}

DescribedShape described_resnet(const std::vector<std::int64_t>& shape) {
  return {.input = shape,
          .note = is_large_image(shape) ? "7x7 stem of stride 2 and max-pool"
                                        : "3x3 stem of stride 1, no max-pool (CIFAR)"};
}

KnownNetwork resnet_network(const std::string& depth, const ResNetPlan& plan) {
  return {.name = "resnet" + depth,
          .title = "ResNet-" + depth,
          .reference =
              "He et al., Deep Residual Learning for Image Recognition, "
              "CVPR 2016, table 1; layers as in torchvision",
          .requirement = image_of_at_least(16),
          .make = maker<ResNet>(plan),
          .described = {described_resnet({1, 28, 28}),
                        described_resnet({3, 32, 32}),
                        described_resnet({3, 64, 64}),
                        described_resnet({3, 224, 224})}};
}

}  // namespace

KnownNetwork resnet18_network() { return resnet_network("18", {.blocks = {2, 2, 2, 2}}); }

KnownNetwork resnet34_network() { return resnet_network("34", {.blocks = {3, 4, 6, 3}}); }

KnownNetwork resnet50_network() {
  return resnet_network("50", {.blocks = {3, 4, 6, 3}, .has_bottlenecks = true});
}

KnownNetwork resnet101_network() {
  return resnet_network("101", {.blocks = {3, 4, 23, 3}, .has_bottlenecks = true});
}

KnownNetwork resnet20_network() {
  const ResNetPlan plan = {
      .blocks = {3, 3, 3}, .width = 16, .has_padded_shortcuts = true, .head = "linear"};
  return {.name = "resnet20",
          .title = "ResNet-20 for CIFAR",
          .reference =
              "He et al., Deep Residual Learning for Image Recognition, "
              "CVPR 2016, section 4.2 and table 6",
          .requirement = image_of_at_least(16),
          .make = maker<ResNet>(plan),
          .described = {
              {.input = {3, 32, 32},
               .note = "option A: shortcuts subsample and pad with zeros, without parameters "
                       "(1x1 convolutions with batch norm, option B, would add 2,752; the code "
                       "published with arXiv 2508.08540 uses those)"}}};
}

}  // namespace epochcast::real
