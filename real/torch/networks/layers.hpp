// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "real/torch/networks/layer_record.hpp"

namespace epochcast::real {

/// Whether images of this shape [channels, rows, columns] get the stem of the ImageNet networks
/// instead of the CIFAR networks': those of more than 64 rows.
[[nodiscard]] bool is_large_image(std::span<const std::int64_t> shape);

/// Modules one after another, as torch::nn::Sequential; those without parameters are layers named
/// by their place.
class ChainImpl : public torch::nn::SequentialImpl {
 public:
  using torch::nn::SequentialImpl::SequentialImpl;

  torch::Tensor forward(torch::Tensor input);
};
TORCH_MODULE(Chain);

/// A convolution without bias, padded to keep rows and columns (divided by the stride).
[[nodiscard]] torch::nn::Conv2d convolution(std::int64_t in,
                                            std::int64_t out,
                                            std::int64_t kernel,
                                            std::int64_t stride = 1);

/// He initialisation of every convolution's weight by the values that leave it (He et al., ICCV
/// 2015, equation 14), as torchvision initialises ResNet and VGG.
void initialise_convolutions(torch::nn::Module& network);

/// Means [batch, channels] of maps [batch, channels, rows, columns].
[[nodiscard]] torch::Tensor channel_means(const torch::Tensor& maps);

/// How attend() weighs tokens.
struct AttentionSettings {
  std::int64_t heads = 1;
  torch::Tensor is_padding = {};  ///< bool [batch, tokens]: keys to leave out; undefined: none
  bool is_causal = false;         ///< tokens attend to earlier ones only
  double dropout = 0;             ///< share of the weights set to zero
};

/// Scaled dot-product attention (Vaswani et al., NIPS 2017, equation 1), heads side by side in the
/// features; all tensors [batch, tokens, features]. A sample of padding only gets equal weights.
/// Its products, softmax and dropout are layers of `owner`.
[[nodiscard]] torch::Tensor attend(const torch::nn::Module& owner,
                                   const torch::Tensor& query,
                                   const torch::Tensor& key,
                                   const torch::Tensor& value,
                                   const AttentionSettings& settings);

}  // namespace epochcast::real
