// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "real/torch/networks/known_network.hpp"
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
void add_activated(Chain& layers, const torch::nn::Conv2d& convolution, std::int64_t channels) {
  layers->push_back(convolution);
  layers->push_back(torch::nn::BatchNorm2d(channels));
  layers->push_back(torch::nn::ReLU(torch::nn::ReLUOptions(true)));
}

/// Appends a 3x3 convolution of each channel by itself and its batch norm.
void add_depthwise(Chain& layers, std::int64_t channels, std::int64_t stride) {
  auto options = torch::nn::Conv2dOptions(channels, channels, 3);
  options.stride(stride).padding(1).groups(channels).bias(false);
  layers->push_back(torch::nn::Conv2d(options));
  layers->push_back(torch::nn::BatchNorm2d(channels));
}

/// A unit: the first of a stage halves the map and sends it through both branches (figure 3d), the
/// others keep half of the channels unchanged (figure 3c). The channels are shuffled last.
class ShuffleUnit : public torch::nn::Module {
 public:
  ShuffleUnit(std::int64_t in, std::int64_t out) : half_(out / 2) {
    const bool is_first = in != out;
    if (is_first) {
      Chain branch1;
      add_depthwise(branch1, in, 2);
      add_activated(branch1, convolution(in, half_, 1), half_);
      branch1_ = register_module("branch1", branch1);
    }
    Chain branch2;
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
    const torch::Tensor both = torch::cat({left, branch2_->forward(right)}, 1);
    return named(*this, "shuffle", shuffled(both));
  }

 private:
  /// Channel i of the left half becomes 2 i, channel i of the right half 2 i + 1.
  [[nodiscard]] torch::Tensor shuffled(const torch::Tensor& maps) const {
    const torch::Tensor halves =
        maps.view({maps.size(0), 2, half_, maps.size(2), maps.size(3)}).transpose(1, 2);
    return halves.reshape(maps.sizes());
  }

  std::int64_t half_;
  Chain branch1_ = nullptr;
  Chain branch2_ = nullptr;
};

/// ShuffleNet V2 1x (Ma et al., ECCV 2018, table 5); layers and initialisation (LibTorch's) as in
/// torchvision. Images of up to 64 rows get the stem of kuangliu/pytorch-cifar (stride 1, no
/// max-pool), larger ones the ImageNet stem (stride 2 and max-pool).
class ShuffleNetV2 : public TorchNetwork {
 public:
  ShuffleNetV2(std::span<const std::int64_t> shape, std::int64_t classes);

  torch::Tensor forward(torch::Tensor samples) override;

 private:
  bool is_large_;
  Chain stem_ = nullptr;
  std::vector<torch::nn::Sequential> stages_;
  Chain last_ = nullptr;
  torch::nn::Linear head_ = nullptr;
};

ShuffleNetV2::ShuffleNetV2(std::span<const std::int64_t> shape, std::int64_t classes)
    : is_large_(is_large_image(shape)) {
  Chain stem;
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
  Chain last;
  add_activated(last, convolution(channels, kShuffleLast, 1), kShuffleLast);
  last_ = register_module("conv5", last);
  head_ = register_module("fc", torch::nn::Linear(kShuffleLast, classes));
}

torch::Tensor ShuffleNetV2::forward(torch::Tensor samples) {
  torch::Tensor output = stem_->forward(samples);
  if (is_large_) {
    output = named(*this, "maxpool", torch::max_pool2d(output, 3, 2, 1));
  }
  for (auto& stage : stages_) {
    output = stage->forward(output);
  }
  return head_->forward(named(*this, "mean", channel_means(last_->forward(output))));
}

DescribedShape described_shufflenet(const std::vector<std::int64_t>& shape) {
  return {.input = shape,
          .note = is_large_image(shape)
                      ? "3x3 stem of stride 2 and max-pool"
                      : "3x3 stem of stride 1, no max-pool, as in kuangliu/pytorch-cifar"};
}

}  // namespace

KnownNetwork shufflenetv2_network() {
  return {.name = "shufflenetv2-1x",
          .title = "ShuffleNet V2 1x",
          .reference = "Ma et al., ShuffleNet V2, ECCV 2018, table 5; layers as in torchvision",
          .requirement = image_of_at_least(16),
          .make = maker<ShuffleNetV2>(),
          .described = {described_shufflenet({3, 32, 32}),
                        described_shufflenet({3, 64, 64}),
                        described_shufflenet({3, 224, 224})}};
}

}  // namespace epochcast::real
