// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/small_cnn.hpp"

#include <algorithm>

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

}  // namespace

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
  torch::Tensor output = torch::max_pool2d(convolution1_->forward(samples).relu_(), 2);
  output = torch::max_pool2d(convolution2_->forward(output).relu_(), 2);
  output = linear1_->forward(output.flatten(1)).relu_();
  return linear2_->forward(output);
}

}  // namespace epochcast::real
