// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "real/torch/networks/torch_network.hpp"

namespace epochcast::real {

/// The most tokens that DistilBert reads.
inline constexpr std::int64_t kDistilBertTokens = 512;

class DistilBertLayer;

/// DistilBERT with a classification head on the first token (Sanh et al., arXiv 1910.01108);
/// layers, dropout and initialisation as in Hugging Face transformers.
///
/// Samples are WordPiece token numbers [batch, tokens] below 30,522, as floats (exact, these being
/// small integers); 0 is padding, which no token attends to.
class DistilBert : public TorchNetwork {
 public:
  /// `shape` is {tokens}.
  DistilBert(std::span<const std::int64_t> shape, std::int64_t classes);

  torch::Tensor forward(torch::Tensor samples) override;

 private:
  torch::nn::Embedding words_ = nullptr;
  torch::nn::Embedding positions_ = nullptr;
  torch::nn::LayerNorm norm_ = nullptr;
  std::vector<std::shared_ptr<DistilBertLayer>> layers_;
  torch::nn::Linear hidden_ = nullptr;
  torch::nn::Linear head_ = nullptr;
};

}  // namespace epochcast::real
