// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/distilbert.hpp"

#include <string>

#include "real/torch/networks/layers.hpp"

namespace epochcast::real {
namespace {

constexpr std::int64_t kBertVocabulary = 30522;
constexpr std::int64_t kBertFeatures = 768;
constexpr std::int64_t kBertHeads = 12;
constexpr int kBertDepth = 6;
constexpr std::int64_t kBertPadding = 0;
constexpr double kBertDropout = 0.1;
constexpr double kBertHeadDropout = 0.2;

torch::nn::LayerNorm bert_norm() {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({kBertFeatures}).eps(1e-12));
}

std::shared_ptr<torch::nn::Module> bert_part(torch::nn::Module& parent, const std::string& name) {
  return parent.register_module(name, std::make_shared<torch::nn::Module>());
}

void initialise_bert(torch::nn::Module& network) {
  constexpr double kDeviation = 0.02;
  for (const auto& module : network.modules(/*include_self=*/false)) {
    if (auto* linear = module->as<torch::nn::Linear>()) {
      torch::nn::init::normal_(linear->weight, 0, kDeviation);
      torch::nn::init::zeros_(linear->bias);
    } else if (auto* embedding = module->as<torch::nn::Embedding>()) {
      torch::nn::init::normal_(embedding->weight, 0, kDeviation);
    }
  }
}

}  // namespace

/// Attention and a perceptron of one hidden layer, each added to its input, then normalised.
class DistilBertLayer : public torch::nn::Module {
 public:
  DistilBertLayer() {
    const torch::nn::LinearOptions square(kBertFeatures, kBertFeatures);
    const auto attention = bert_part(*this, "attention");
    query_ = attention->register_module("q_lin", torch::nn::Linear(square));
    key_ = attention->register_module("k_lin", torch::nn::Linear(square));
    value_ = attention->register_module("v_lin", torch::nn::Linear(square));
    output_ = attention->register_module("out_lin", torch::nn::Linear(square));
    attention_norm_ = register_module("sa_layer_norm", bert_norm());
    const auto perceptron = bert_part(*this, "ffn");
    linear1_ =
        perceptron->register_module("lin1", torch::nn::Linear(kBertFeatures, 4 * kBertFeatures));
    linear2_ =
        perceptron->register_module("lin2", torch::nn::Linear(4 * kBertFeatures, kBertFeatures));
    output_norm_ = register_module("output_layer_norm", bert_norm());
  }

  torch::Tensor forward(const torch::Tensor& tokens, const torch::Tensor& is_padding) {
    const AttentionSettings settings = {
        .heads = kBertHeads, .is_padding = is_padding, .dropout = is_training() ? kBertDropout : 0};
    const torch::Tensor query = query_->forward(tokens);
    const torch::Tensor key = key_->forward(tokens);
    const torch::Tensor value = value_->forward(tokens);
    const torch::Tensor attended = output_->forward(attend(query, key, value, settings));
    const torch::Tensor middle = attention_norm_->forward(attended + tokens);
    const torch::Tensor change = linear2_->forward(torch::gelu(linear1_->forward(middle)));
    return output_norm_->forward(torch::dropout(change, kBertDropout, is_training()) + middle);
  }

 private:
  torch::nn::Linear query_ = nullptr;
  torch::nn::Linear key_ = nullptr;
  torch::nn::Linear value_ = nullptr;
  torch::nn::Linear output_ = nullptr;
  torch::nn::LayerNorm attention_norm_ = nullptr;
  torch::nn::Linear linear1_ = nullptr;
  torch::nn::Linear linear2_ = nullptr;
  torch::nn::LayerNorm output_norm_ = nullptr;
};

DistilBert::DistilBert(std::span<const std::int64_t> /*shape*/, std::int64_t classes) {
  const auto backbone = bert_part(*this, "distilbert");
  const auto embeddings = bert_part(*backbone, "embeddings");
  const auto words =
      torch::nn::EmbeddingOptions(kBertVocabulary, kBertFeatures).padding_idx(kBertPadding);
  words_ = embeddings->register_module("word_embeddings", torch::nn::Embedding(words));
  positions_ = embeddings->register_module("position_embeddings",
                                           torch::nn::Embedding(kDistilBertTokens, kBertFeatures));
  norm_ = embeddings->register_module("LayerNorm", bert_norm());
  const auto layers = bert_part(*bert_part(*backbone, "transformer"), "layer");
  for (int i = 0; i < kBertDepth; ++i) {
    layers_.push_back(
        layers->register_module(std::to_string(i), std::make_shared<DistilBertLayer>()));
  }
  hidden_ = register_module("pre_classifier", torch::nn::Linear(kBertFeatures, kBertFeatures));
  head_ = register_module("classifier", torch::nn::Linear(kBertFeatures, classes));
  initialise_bert(*this);
  const torch::NoGradGuard no_gradients;
  words_->weight[kBertPadding].zero_();
}

torch::Tensor DistilBert::forward(torch::Tensor samples) {
  const torch::Tensor numbers = samples.to(torch::kLong);
  const torch::Tensor is_padding = numbers == kBertPadding;
  const torch::Tensor places =
      torch::arange(numbers.size(1), torch::TensorOptions(torch::kLong).device(numbers.device()));
  const torch::Tensor word = words_->forward(numbers);
  const torch::Tensor embedded = norm_->forward(word + positions_->forward(places));
  torch::Tensor tokens = torch::dropout(embedded, kBertDropout, is_training());
  for (const auto& layer : layers_) {
    tokens = layer->forward(tokens, is_padding);
  }
  const torch::Tensor hidden = hidden_->forward(tokens.select(1, 0)).relu_();
  return head_->forward(torch::dropout(hidden, kBertHeadDropout, is_training()));
}

}  // namespace epochcast::real
