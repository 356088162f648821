// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/resnet.hpp"

#include <memory>

#include "real/torch/networks/layers.hpp"

namespace epochcast::real {
namespace {

constexpr std::int64_t kBottleneckExpansion = 4;

struct BlockShape {
  std::int64_t in = 0;
  std::int64_t width = 0;
  std::int64_t out = 0;
  std::int64_t stride = 1;
};

/// Two or three convolutions with their normalisations, around which the input is led and added.
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
        output = output.relu_();
      }
    }
    // The shortcut comes last, as in torchvision, so that backward reaches it first.
    output += shortcut(input);
    return output.relu_();
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

}  // namespace

ResNetPlan resnet18_plan() { return {.blocks = {2, 2, 2, 2}}; }

ResNetPlan resnet20_plan() {
  return {.blocks = {3, 3, 3}, .width = 16, .has_padded_shortcuts = true, .head = "linear"};
}

ResNetPlan resnet34_plan() { return {.blocks = {3, 4, 6, 3}}; }

ResNetPlan resnet50_plan() { return {.blocks = {3, 4, 6, 3}, .has_bottlenecks = true}; }

ResNetPlan resnet101_plan() { return {.blocks = {3, 4, 23, 3}, .has_bottlenecks = true}; }

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
  torch::Tensor output = stem_norm_->forward(stem_convolution_->forward(samples)).relu_();
  if (has_large_stem_) {
    output = torch::max_pool2d(output, 3, 2, 1);
  }
  for (auto& stage : stages_) {
    output = stage->forward(output);
  }
  return head_->forward(channel_means(output));
}

}  // namespace epochcast::real
