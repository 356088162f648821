// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/shufflenet.hpp"

#include <array>
#include <memory>
#include <string>

#include "real/torch/networks/layers.hpp"

namespace epochcast::real {
namespace {

constexpr std::int64_t kShuffleStem = 24;
constexpr std::int64_t kShuffleLast = 1024;

struct ShuffleStage {
  std::int64_t units = 0;
  std::int64_t channels = 0;
};
constexpr std::array<ShuffleStage, 3> kShuffleStages = {
    {{.units = 4, .channels = 116}, {.units = 8, .channels = 232}, {.units = 4, .channels = 464}}};

/// Appends a convolution, its batch norm and ReLU.
void add_activated(torch::nn::Sequential& layers,
                   const torch::nn::Conv2d& convolution,
                   std::int64_t channels) {
  layers->push_back(convolution);
  layers->push_back(torch::nn::BatchNorm2d(channels));
  layers->push_back(torch::nn::ReLU(torch::nn::ReLUOptions(true)));
}

/// Appends a 3x3 convolution of each channel by itself and its batch norm.
void add_depthwise(torch::nn::Sequential& layers, std::int64_t channels, std::int64_t stride) {
  auto options = torch::nn::Conv2dOptions(channels, channels, 3);
  options.stride(stride).padding(1).groups(channels).bias(false);
  layers->push_back(torch::nn::Conv2d(options));
  layers->push_back(torch::nn::BatchNorm2d(channels));
}

/// A unit: the first of a stage halves the map and sends it through both branches (figure 3d), the
/// others pass half of the channels on untouched (figure 3c). The channels are shuffled last.
class ShuffleUnit : public torch::nn::Module {
 public:
  ShuffleUnit(std::int64_t in, std::int64_t out) : half_(out / 2) {
    const bool is_first = in != out;
    if (is_first) {
      torch::nn::Sequential branch1;
      add_depthwise(branch1, in, 2);
      add_activated(branch1, convolution(in, half_, 1), half_);
      branch1_ = register_module("branch1", branch1);
    }
    torch::nn::Sequential branch2;
    add_activated(branch2, convolution(is_first ? in : half_, half_, 1), half_);
    add_depthwise(branch2, half_, is_first ? 2 : 1);
    add_activated(branch2, convolution(half_, half_, 1), half_);
    branch2_ = register_module("branch2", branch2);
  }

  torch::Tensor forward(const torch::Tensor& input) {
    torch::Tensor left;
    torch::Tensor right = input;
    if (branch1_.is_empty()) {
      left = input.narrow(1, 0, half_);
      right = input.narrow(1, half_, half_);
    } else {
      left = branch1_->forward(input);
    }
    return shuffled(torch::cat({left, branch2_->forward(right)}, 1));
  }

 private:
  /// Channel i of the left half becomes 2 i, channel i of the right half 2 i + 1.
  [[nodiscard]] torch::Tensor shuffled(const torch::Tensor& maps) const {
    const torch::Tensor halves =
        maps.view({maps.size(0), 2, half_, maps.size(2), maps.size(3)}).transpose(1, 2);
    return halves.reshape(maps.sizes());
  }

  std::int64_t half_;
  torch::nn::Sequential branch1_ = nullptr;
  torch::nn::Sequential branch2_ = nullptr;
};

}  // namespace

ShuffleNetV2::ShuffleNetV2(std::span<const std::int64_t> shape, std::int64_t classes)
    : is_large_(is_large_image(shape)) {
  torch::nn::Sequential stem;
  add_activated(stem, convolution(shape[0], kShuffleStem, 3, is_large_ ? 2 : 1), kShuffleStem);
  stem_ = register_module("conv1", stem);
  std::int64_t channels = kShuffleStem;
  for (std::size_t stage = 0; stage < kShuffleStages.size(); ++stage) {
    torch::nn::Sequential units;
    for (std::int64_t i = 0; i < kShuffleStages[stage].units; ++i) {
      units->push_back(std::make_shared<ShuffleUnit>(channels, kShuffleStages[stage].channels));
      channels = kShuffleStages[stage].channels;
    }
    stages_.push_back(register_module("stage" + std::to_string(stage + 2), units));
  }
  torch::nn::Sequential last;
  add_activated(last, convolution(channels, kShuffleLast, 1), kShuffleLast);
  last_ = register_module("conv5", last);
  head_ = register_module("fc", torch::nn::Linear(kShuffleLast, classes));
}

torch::Tensor ShuffleNetV2::forward(torch::Tensor samples) {
  torch::Tensor output = stem_->forward(samples);
  if (is_large_) {
    output = torch::max_pool2d(output, 3, 2, 1);
  }
  for (auto& stage : stages_) {
    output = stage->forward(output);
  }
  return head_->forward(channel_means(last_->forward(output)));
}

}  // namespace epochcast::real
