// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "real/torch/networks/known_network.hpp"
#include "real/torch/networks/layers.hpp"

namespace epochcast::real {
namespace {

constexpr std::int64_t kGrowth = 32;
constexpr std::int64_t kDenseBottleneck = 4 * kGrowth;
constexpr std::int64_t kDenseStem = 2 * kGrowth;
constexpr std::array<std::int64_t, 4> kDenseLayers = {6, 12, 24, 16};

/// Adds `kGrowth` channels, computed from all maps before it.
class DenseLayer : public torch::nn::Module {
 public:
  explicit DenseLayer(std::int64_t in) {
    norm1_ = register_module("norm1", torch::nn::BatchNorm2d(in));
    convolution1_ = register_module("conv1", convolution(in, kDenseBottleneck, 1));
    norm2_ = register_module("norm2", torch::nn::BatchNorm2d(kDenseBottleneck));
    convolution2_ = register_module("conv2", convolution(kDenseBottleneck, kGrowth, 3));
  }

  torch::Tensor forward(const std::vector<torch::Tensor>& maps) {
    const torch::Tensor all = named(*this, "concatenate", torch::cat(maps, 1));
    const torch::Tensor wide = named(*this, "relu1", norm1_->forward(all).relu_());
    const torch::Tensor narrow = norm2_->forward(convolution1_->forward(wide));
    return convolution2_->forward(named(*this, "relu2", narrow.relu_()));
  }

 private:
  torch::nn::BatchNorm2d norm1_ = nullptr;
  torch::nn::Conv2d convolution1_ = nullptr;
  torch::nn::BatchNorm2d norm2_ = nullptr;
  torch::nn::Conv2d convolution2_ = nullptr;
};

/// Layers that each read the input and the maps of every layer before them.
class DenseBlock : public torch::nn::Module {
 public:
  DenseBlock(std::int64_t in, std::int64_t layers) {
    for (std::int64_t i = 0; i < layers; ++i) {
      layers_.push_back(register_module("denselayer" + std::to_string(i + 1),
                                        std::make_shared<DenseLayer>(in + i * kGrowth)));
    }
  }

  torch::Tensor forward(const torch::Tensor& input) {
    std::vector<torch::Tensor> maps = {input};
    for (const auto& layer : layers_) {
      maps.push_back(layer->forward(maps));
    }
    return named(*this, "concatenate", torch::cat(maps, 1));
  }

 private:
  std::vector<std::shared_ptr<DenseLayer>> layers_;
};

/// Halves channels, rows and columns.
class DenseTransition : public torch::nn::Module {
 public:
  explicit DenseTransition(std::int64_t in) {
    norm_ = register_module("norm", torch::nn::BatchNorm2d(in));
    convolution_ = register_module("conv", convolution(in, in / 2, 1));
  }

  torch::Tensor forward(const torch::Tensor& input) {
    const torch::Tensor activated = named(*this, "relu", norm_->forward(input).relu_());
    return named(*this, "pool", torch::avg_pool2d(convolution_->forward(activated), 2));
  }

 private:
  torch::nn::BatchNorm2d norm_ = nullptr;
  torch::nn::Conv2d convolution_ = nullptr;
};

Chain dense_stem(std::span<const std::int64_t> shape) {
  Chain stem;
  if (!is_large_image(shape)) {
    stem->push_back("conv0", convolution(shape[0], kDenseStem, 3));
    return stem;
  }
  stem->push_back("conv0", convolution(shape[0], kDenseStem, 7, 2));
  stem->push_back("norm0", torch::nn::BatchNorm2d(kDenseStem));
  stem->push_back("relu0", torch::nn::ReLU(torch::nn::ReLUOptions(true)));
  stem->push_back("pool0",
                  torch::nn::MaxPool2d(torch::nn::MaxPool2dOptions(3).stride(2).padding(1)));
  return stem;
}

/// DenseNet-121 with growth 32 (Huang et al., CVPR 2017, table 1); layers and initialisation as in
/// torchvision. Images of up to 64 rows get the stem of kuangliu/pytorch-cifar (3x3 convolution
/// without batch norm), larger ones the ImageNet stem (7x7, stride 2, and max-pool).
class DenseNet121 : public TorchNetwork {
 public:
  DenseNet121(std::span<const std::int64_t> shape, std::int64_t classes);

  torch::Tensor forward(torch::Tensor samples) override;

 private:
  Chain features_ = nullptr;
  torch::nn::Linear classifier_ = nullptr;
};

DenseNet121::DenseNet121(std::span<const std::int64_t> shape, std::int64_t classes) {
  Chain features = dense_stem(shape);
  std::int64_t channels = kDenseStem;
  for (std::size_t i = 0; i < kDenseLayers.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    features->push_back("denseblock" + number,
                        std::make_shared<DenseBlock>(channels, kDenseLayers[i]));
    channels += kDenseLayers[i] * kGrowth;
    if (i + 1 == kDenseLayers.size()) break;
    features->push_back("transition" + number, std::make_shared<DenseTransition>(channels));
    channels /= 2;
  }
  features->push_back("norm5", torch::nn::BatchNorm2d(channels));
  features_ = register_module("features", features);
  classifier_ = register_module("classifier", torch::nn::Linear(channels, classes));
  for (const auto& module : modules(/*include_self=*/false)) {
    if (auto* layer = module->as<torch::nn::Conv2d>()) {
      torch::nn::init::kaiming_normal_(layer->weight);
    }
  }
  torch::nn::init::zeros_(classifier_->bias);
}

torch::Tensor DenseNet121::forward(torch::Tensor samples) {
  const torch::Tensor maps = named(*this, "relu", features_->forward(samples).relu_());
  return classifier_->forward(named(*this, "avgpool", channel_means(maps)));
}

DescribedShape described_densenet(const std::vector<std::int64_t>& shape) {
  return {.input = shape,
          .note = is_large_image(shape)
                      ? "7x7 stem of stride 2 and max-pool, growth 32"
                      : "3x3 stem of stride 1 without batch norm and max-pool, growth 32, as in "
                        "kuangliu/pytorch-cifar"};
}

}  // namespace

KnownNetwork densenet121_network() {
  return {.name = "densenet121",
          .title = "DenseNet-121",
          .reference =
              "Huang et al., Densely Connected Convolutional Networks, CVPR 2017, "
              "table 1; layers as in torchvision",
          .requirement = image_of_at_least(16),
          .make = maker<DenseNet121>(),
          .described = {described_densenet({3, 32, 32}),
                        described_densenet({3, 64, 64}),
                        described_densenet({3, 224, 224})}};
}

}  // namespace epochcast::real
