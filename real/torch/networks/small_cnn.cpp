// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "real/torch/networks/known_network.hpp"
#include "real/torch/networks/layers.hpp"

namespace epochcast::real {
namespace {

constexpr std::int64_t kChannels1 = 6;
constexpr std::int64_t kChannels2 = 16;
constexpr std::int64_t kKernel = 5;
constexpr std::int64_t kHidden = 120;

/// On each side, for images smaller than LeNet's 32 pixels.
std::int64_t padding(std::int64_t pixels) {
  constexpr std::int64_t kLeNetPixels = 32;
  return std::max<std::int64_t>(0, (kLeNetPixels - pixels + 1) / 2);
}

/// Rows or columns that remain after both convolutions and pools.
std::int64_t remaining(std::int64_t pixels) {
  const std::int64_t pooled = (pixels + 2 * padding(pixels) - kKernel + 1) / 2;
  return (pooled - kKernel + 1) / 2;
}

/// LeNet-5 (LeCun et al. 1998, figure 2) with ReLU and max-pool and without its layer F6: two 5x5
/// convolutions (6 and 16 channels) and two linear layers. Images below 32 x 32 are padded to that.
class SmallCnn : public TorchNetwork {
 public:
  SmallCnn(std::span<const std::int64_t> shape, std::int64_t classes);

  torch::Tensor forward(torch::Tensor samples) override;

 private:
  torch::nn::Conv2d convolution1_ = nullptr;
  torch::nn::Conv2d convolution2_ = nullptr;
  torch::nn::Linear linear1_ = nullptr;
  torch::nn::Linear linear2_ = nullptr;
};

SmallCnn::SmallCnn(std::span<const std::int64_t> shape, std::int64_t classes) {
  const auto first = torch::nn::Conv2dOptions(shape[0], kChannels1, kKernel)
                         .padding({padding(shape[1]), padding(shape[2])});
  const auto second = torch::nn::Conv2dOptions(kChannels1, kChannels2, kKernel);
  const std::int64_t features = kChannels2 * remaining(shape[1]) * remaining(shape[2]);
  convolution1_ = register_module("conv1", torch::nn::Conv2d(first));
  convolution2_ = register_module("conv2", torch::nn::Conv2d(second));
  linear1_ = register_module("fc1", torch::nn::Linear(features, kHidden));
  linear2_ = register_module("fc2", torch::nn::Linear(kHidden, classes));
}

torch::Tensor SmallCnn::forward(torch::Tensor samples) {
  const auto pooled = [this](const char* relu, const char* pool, const torch::Tensor& maps) {
    return named(*this, pool, torch::max_pool2d(named(*this, relu, maps.relu_()), 2));
  };
  const torch::Tensor first = pooled("relu1", "pool1", convolution1_->forward(samples));
  const torch::Tensor second = pooled("relu2", "pool2", convolution2_->forward(first));
  return linear2_->forward(named(*this, "relu3", linear1_->forward(second.flatten(1)).relu_()));
}

DescribedShape described_small_cnn(const std::vector<std::int64_t>& shape) {
  return {.input = shape,
          .note =
              "two 5x5 convolutions (6 and 16 channels), each with ReLU and 2x2 max-pool; "
              "linear layers of 120 and of one unit per class; the first convolution pads by " +
              std::to_string(padding(shape[1]))};
}

}  // namespace

KnownNetwork small_cnn_network() {
  return {.name = "small-cnn",
          .title = "Small LeNet-like CNN",
          .reference =
              "LeCun et al., Gradient-Based Learning Applied to Document Recognition, "
              "1998, figure 2 (LeNet-5), with ReLU and max-pool and without layer F6",
          .requirement = image_of_at_least(16),
          .make = maker<SmallCnn>(),
          .described = {described_small_cnn({1, 28, 28}), described_small_cnn({3, 32, 32})}};
}

}  // namespace epochcast::real
