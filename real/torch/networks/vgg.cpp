// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <vector>

#include "real/torch/networks/known_network.hpp"
#include "real/torch/networks/layers.hpp"

namespace epochcast::real {
namespace {

constexpr std::int64_t kVggPool = 0;  // stands for a 2 x 2 max-pool among the channels
constexpr std::array<std::int64_t, 18> kVggChannels = {64,
                                                       64,
                                                       kVggPool,
                                                       128,
                                                       128,
                                                       kVggPool,
                                                       256,
                                                       256,
                                                       256,
                                                       kVggPool,
                                                       512,
                                                       512,
                                                       512,
                                                       kVggPool,
                                                       512,
                                                       512,
                                                       512,
                                                       kVggPool};
constexpr std::int64_t kVggFeatures = 512;
constexpr std::int64_t kVggPooled = 7;  // rows and columns of the linear layers' inputs
constexpr std::int64_t kVggHidden = 4096;

Chain vgg_features(std::int64_t channels, bool has_batch_norm) {
  Chain layers;
  for (const std::int64_t width : kVggChannels) {
    if (width == kVggPool) {
      layers->push_back(torch::nn::MaxPool2d(2));
      continue;
    }
    layers->push_back(torch::nn::Conv2d(torch::nn::Conv2dOptions(channels, width, 3).padding(1)));
    if (has_batch_norm) layers->push_back(torch::nn::BatchNorm2d(width));
    layers->push_back(torch::nn::ReLU(torch::nn::ReLUOptions(true)));
    channels = width;
  }
  return layers;
}

Chain vgg_classifier(std::int64_t classes) {
  const torch::nn::ReLUOptions in_place(true);
  return Chain(torch::nn::Linear(kVggFeatures * kVggPooled * kVggPooled, kVggHidden),
               torch::nn::ReLU(in_place),
               torch::nn::Dropout(),
               torch::nn::Linear(kVggHidden, kVggHidden),
               torch::nn::ReLU(in_place),
               torch::nn::Dropout(),
               torch::nn::Linear(kVggHidden, classes));
}

/// VGG-16 (Simonyan and Zisserman, ICLR 2015, table 1, column D). Images of up to 64 rows get the
/// CIFAR network of kuangliu/pytorch-cifar: batch norm after each convolution, one linear layer.
/// Larger ones get torchvision's vgg16: no batch norm, maps averaged to 7 x 7, three linear layers
/// with dropout. Initialised as torchvision does.
class Vgg16 : public TorchNetwork {
 public:
  /// Five pools need at least 32 x 32 pixels.
  Vgg16(std::span<const std::int64_t> shape, std::int64_t classes);

  torch::Tensor forward(torch::Tensor samples) override;

 private:
  bool is_large_;
  Chain features_ = nullptr;
  Chain large_classifier_ = nullptr;
  torch::nn::Linear small_classifier_ = nullptr;
};

Vgg16::Vgg16(std::span<const std::int64_t> shape, std::int64_t classes)
    : is_large_(is_large_image(shape)) {
  features_ = register_module("features", vgg_features(shape[0], !is_large_));
  if (is_large_) {
    large_classifier_ = register_module("classifier", vgg_classifier(classes));
  } else {
    small_classifier_ = register_module("classifier", torch::nn::Linear(kVggFeatures, classes));
  }
  initialise_convolutions(*this);
  for (const auto& module : modules(/*include_self=*/false)) {
    if (auto* layer = module->as<torch::nn::Conv2d>()) {
      torch::nn::init::zeros_(layer->bias);
    } else if (auto* head = module->as<torch::nn::Linear>()) {
      torch::nn::init::normal_(head->weight, 0, 0.01);
      torch::nn::init::zeros_(head->bias);
    }
  }
}

torch::Tensor Vgg16::forward(torch::Tensor samples) {
  const torch::Tensor maps = features_->forward(samples);
  if (!is_large_) {
    return small_classifier_->forward(named(*this, "avgpool", channel_means(maps)));
  }
  const torch::Tensor pooled =
      named(*this, "avgpool", torch::adaptive_avg_pool2d(maps, {kVggPooled, kVggPooled}));
  return large_classifier_->forward(pooled.flatten(1));
}

DescribedShape described_vgg(const std::vector<std::int64_t>& shape) {
  return {.input = shape,
          .note = is_large_image(shape)
                      ? "torchvision's vgg16, without batch norm: average-pooled to 7x7, three "
                        "linear layers with dropout"
                      : "with batch norm and one linear layer, as in kuangliu/pytorch-cifar; what "
                        "the five pools leave is averaged (1x1 for 32x32)"};
}

}  // namespace

KnownNetwork vgg16_network() {
  return {
      .name = "vgg16",
      .title = "VGG-16",
      .reference =
          "Simonyan and Zisserman, Very Deep Convolutional Networks, ICLR 2015, "
          "table 1, column D",
      .requirement = image_of_at_least(32),
      .make = maker<Vgg16>(),
      .described = {
          described_vgg({3, 32, 32}), described_vgg({3, 64, 64}), described_vgg({3, 224, 224})}};
}

}  // namespace epochcast::real
