// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/vgg.hpp"

#include <array>

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
constexpr std::int64_t kVggPooled = 7;  // rows and columns that the linear layers see
constexpr std::int64_t kVggHidden = 4096;

torch::nn::Sequential vgg_features(std::int64_t channels, bool has_batch_norm) {
  torch::nn::Sequential layers;
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

torch::nn::Sequential vgg_classifier(std::int64_t classes) {
  const torch::nn::ReLUOptions in_place(true);
  return torch::nn::Sequential(
      torch::nn::Linear(kVggFeatures * kVggPooled * kVggPooled, kVggHidden),
      torch::nn::ReLU(in_place),
      torch::nn::Dropout(),
      torch::nn::Linear(kVggHidden, kVggHidden),
      torch::nn::ReLU(in_place),
      torch::nn::Dropout(),
      torch::nn::Linear(kVggHidden, classes));
}

}  // namespace

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
  if (!is_large_) return small_classifier_->forward(channel_means(maps));
  const torch::Tensor pooled = torch::adaptive_avg_pool2d(maps, {kVggPooled, kVggPooled});
  return large_classifier_->forward(pooled.flatten(1));
}

}  // namespace epochcast::real
