// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include "real/torch/networks/known_network.hpp"
#include "real/torch/networks/layers.hpp"

namespace epochcast::real {
namespace {

constexpr std::int64_t kWideStem = 16;
constexpr std::int64_t kWideStages = 3;

/// The parameters of a wide residual network; `depth` counts convolutions, 4 more than a multiple
/// of 6.
struct WideResNetPlan {
  std::int64_t depth = 28;
  std::int64_t widening = 10;  ///< channels are this many times 16, 32 and 64
};

/// Two convolutions with a shortcut around them, a 1x1 convolution if the channels change.
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
    const torch::Tensor activated = named(*this, "relu1", norm1_->forward(input).relu_());
    torch::Tensor output = norm2_->forward(convolution1_->forward(activated)).relu_();
    output = convolution2_->forward(named(*this, "relu2", output));
    // A convolution in the shortcut takes the activated input and comes last, as in the original.
    output = output + (shortcut_.is_empty() ? input : shortcut_->forward(activated));
    return named(*this, "add", output);
  }

 private:
  torch::nn::BatchNorm2d norm1_ = nullptr;
  torch::nn::Conv2d convolution1_ = nullptr;
  torch::nn::BatchNorm2d norm2_ = nullptr;
  torch::nn::Conv2d convolution2_ = nullptr;
  torch::nn::Conv2d shortcut_ = nullptr;
};

/// A wide residual network without dropout (Zagoruyko and Komodakis, BMVC 2016, table 1), batch
/// norm and ReLU before each convolution; tensors as in xternalz/WideResNet-pytorch. The CIFAR
/// network for all image sizes.
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
  output = named(*this, "relu", norm_->forward(output).relu_());
  return head_->forward(named(*this, "avgpool", channel_means(output)));
}

KnownNetwork wide_resnet_network(const WideResNetPlan& plan, const std::string& note) {
  const std::string depth = std::to_string(plan.depth);
  const std::string large =
      note + "; the CIFAR network on larger images: no stem of stride 2, averaged at the end";
  return {.name = "wide-resnet-" + depth,
          .title = "Wide ResNet-" + depth + "-" + std::to_string(plan.widening),
          .reference = "Zagoruyko and Komodakis, Wide Residual Networks, BMVC 2016, table 1",
          .requirement = image_of_at_least(16),
          .make = maker<WideResNet>(plan),
          .described = {{.input = {3, 32, 32}, .note = note},
                        {.input = {3, 64, 64}, .note = large},
                        {.input = {3, 224, 224}, .note = large}}};
}

}  // namespace

KnownNetwork wide_resnet16_network() {
  return wide_resnet_network({.depth = 16, .widening = 8},
                             "widening factor 8, no dropout; arXiv 2508.08540 trains a WRN16 on "
                             "Flowers-102, its factor and image size are not known to us");
}

KnownNetwork wide_resnet28_network() {
  return wide_resnet_network({.depth = 28, .widening = 10},
                             "widening factor 10, no dropout; arXiv 2508.08540 trains a WRN28 on "
                             "CIFAR-100, its factor is not known to us");
}

}  // namespace epochcast::real
