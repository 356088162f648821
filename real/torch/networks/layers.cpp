// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/layers.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace epochcast::real {

bool is_large_image(std::span<const std::int64_t> shape) {
  constexpr std::int64_t kLargestSmallImage = 64;
  return shape[1] > kLargestSmallImage;
}

torch::Tensor ChainImpl::forward(torch::Tensor input) {
  for (torch::nn::AnyModule& module : *this) {
    input = named(*module.ptr(), "", module.forward(std::move(input)));
  }
  return input;
}

torch::nn::Conv2d convolution(std::int64_t in,
                              std::int64_t out,
                              std::int64_t kernel,
                              std::int64_t stride) {
  auto options = torch::nn::Conv2dOptions(in, out, kernel);
  return torch::nn::Conv2d(options.stride(stride).padding(kernel / 2).bias(false));
}

void initialise_convolutions(torch::nn::Module& network) {
  for (const auto& module : network.modules(/*include_self=*/false)) {
    if (auto* layer = module->as<torch::nn::Conv2d>()) {
      torch::nn::init::kaiming_normal_(layer->weight, 0.0, torch::kFanOut, torch::kReLU);
    }
  }
}

torch::Tensor channel_means(const torch::Tensor& maps) {
  return torch::adaptive_avg_pool2d(maps, {1, 1}).flatten(1);
}

torch::Tensor attend(const torch::nn::Module& owner,
                     const torch::Tensor& query,
                     const torch::Tensor& key,
                     const torch::Tensor& value,
                     const AttentionSettings& settings) {
  const std::int64_t head_features = query.size(2) / settings.heads;
  // [batch, tokens, features] -> [batch, heads, tokens, features / heads]
  const auto split = [&](const torch::Tensor& tokens) {
    return tokens.view({tokens.size(0), tokens.size(1), settings.heads, head_features})
        .transpose(1, 2);
  };
  const double scale = 1 / std::sqrt(static_cast<double>(head_features));
  torch::Tensor scores =
      named(owner, "query_key", torch::matmul(split(query * scale), split(key).transpose(2, 3)));
  // Autocast computes scores of 16 bits; both kinds have this number.
  constexpr double kLowestOf16Bits = -65504;
  const double hidden = scores.scalar_type() == torch::kFloat32
                            ? static_cast<double>(std::numeric_limits<float>::lowest())
                            : kLowestOf16Bits;
  if (settings.is_padding.defined()) {
    // Finite: the weights of a sample of padding only would be 0 / 0.
    scores = scores.masked_fill(settings.is_padding.unsqueeze(1).unsqueeze(1), hidden);
  }
  if (settings.is_causal) {
    const auto bits = torch::TensorOptions(torch::kBool).device(query.device());
    const torch::Tensor is_behind =
        torch::ones({query.size(1), key.size(1)}, bits).triu(/*diagonal=*/1);
    scores = scores.masked_fill(is_behind, hidden);
  }
  torch::Tensor weights = named(owner, "softmax", scores.softmax(-1));
  if (settings.dropout > 0) {
    weights = named(owner, "dropout", torch::dropout(weights, settings.dropout, true));
  }
  const torch::Tensor weighted = torch::matmul(weights, split(value)).transpose(1, 2).flatten(2);
  return named(owner, "weighted_values", weighted);
}

}  // namespace epochcast::real
