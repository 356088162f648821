// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/wide_resnet.hpp"

#include <memory>
#include <string>

#include "real/torch/networks/layers.hpp"

namespace epochcast::real {
namespace {

constexpr std::int64_t kWideStem = 16;
constexpr std::int64_t kWideStages = 3;

/// Two convolutions around which the input is led and added; where the channels change, a 1x1
/// convolution leads it.
class WideBlock : public torch::nn::Module {
 public:
  WideBlock(std::int64_t in, std::int64_t out, std::int64_t stride) {
    norm1_ = register_module("bn1", torch::nn::BatchNorm2d(in));
    convolution1_ = register_module("conv1", convolution(in, out, 3, stride));
    norm2_ = register_module("bn2", torch::nn::BatchNorm2d(out));
    convolution2_ = register_module("conv2", convolution(out, out, 3));
    if (in != out) {
      shortcut_ = register_module("convShortcut", convolution(in, out, 1, stride));
    }
  }

  torch::Tensor forward(const torch::Tensor& input) {
    const torch::Tensor activated = norm1_->forward(input).relu_();
    torch::Tensor output = norm2_->forward(convolution1_->forward(activated)).relu_();
    output = convolution2_->forward(output);
    // A shortcut of its own starts from the activated input and comes last, as in the original.
    return output + (shortcut_.is_empty() ? input : shortcut_->forward(activated));
  }

 private:
  torch::nn::BatchNorm2d norm1_ = nullptr;
  torch::nn::Conv2d convolution1_ = nullptr;
  torch::nn::BatchNorm2d norm2_ = nullptr;
  torch::nn::Conv2d convolution2_ = nullptr;
  torch::nn::Conv2d shortcut_ = nullptr;
};

}  // namespace

WideResNetPlan wide_resnet16_plan() { return {.depth = 16, .widening = 8}; }

WideResNetPlan wide_resnet28_plan() { return {.depth = 28, .widening = 10}; }

WideResNet::WideResNet(const WideResNetPlan& plan,
                       std::span<const std::int64_t> shape,
                       std::int64_t classes) {
  stem_ = register_module("conv1", convolution(shape[0], kWideStem, 3));
  std::int64_t channels = kWideStem;
  for (std::int64_t stage = 0; stage < kWideStages; ++stage) {
    const std::int64_t width = plan.widening * (kWideStem << stage);
    torch::nn::Sequential blocks;
    for (std::int64_t i = 0; i < (plan.depth - 4) / (2 * kWideStages); ++i) {
      const std::int64_t stride = stage > 0 && i == 0 ? 2 : 1;
      blocks->push_back(std::make_shared<WideBlock>(channels, width, stride));
      channels = width;
    }
    const auto holder =
        register_module("block" + std::to_string(stage + 1), std::make_shared<torch::nn::Module>());
    stages_.push_back(holder->register_module("layer", blocks));
  }
  norm_ = register_module("bn1", torch::nn::BatchNorm2d(channels));
  head_ = register_module("fc", torch::nn::Linear(channels, classes));
  initialise_convolutions(*this);
  torch::nn::init::zeros_(head_->bias);
}

torch::Tensor WideResNet::forward(torch::Tensor samples) {
  torch::Tensor output = stem_->forward(samples);
  for (auto& stage : stages_) {
    output = stage->forward(output);
  }
  output = norm_->forward(output).relu_();
  return head_->forward(channel_means(output));
}

}  // namespace epochcast::real
