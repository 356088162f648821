// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include "real/torch/networks/known_network.hpp"
#include "real/torch/networks/layers.hpp"

namespace epochcast::real {
namespace {

constexpr std::int64_t kBertTokens = 512;  // its longest text
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

/// Attention and a perceptron of one hidden layer, each added to its input, then normalised.
class DistilBertLayer : public torch::nn::Module {
 public:
  DistilBertLayer() {
    const torch::nn::LinearOptions square(kBertFeatures, kBertFeatures);
    attention_ = bert_part(*this, "attention");
    query_ = attention_->register_module("q_lin", torch::nn::Linear(square));
    key_ = attention_->register_module("k_lin", torch::nn::Linear(square));
    value_ = attention_->register_module("v_lin", torch::nn::Linear(square));
    output_ = attention_->register_module("out_lin", torch::nn::Linear(square));
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
    const torch::Tensor attended =
        output_->forward(attend(*attention_, query, key, value, settings));
    const torch::Tensor middle = attention_norm_->forward(named(*this, "add_1", attended + tokens));
    const torch::Tensor hidden =
        named(*this, "ffn.activation", torch::gelu(linear1_->forward(middle)));
    torch::Tensor change = linear2_->forward(hidden);
    change = named(*this, "ffn.dropout", torch::dropout(change, kBertDropout, is_training()));
    return output_norm_->forward(named(*this, "add_2", change + middle));
  }

 private:
  std::shared_ptr<torch::nn::Module> attention_;
  torch::nn::Linear query_ = nullptr;
  torch::nn::Linear key_ = nullptr;
  torch::nn::Linear value_ = nullptr;
  torch::nn::Linear output_ = nullptr;
  torch::nn::LayerNorm attention_norm_ = nullptr;
  torch::nn::Linear linear1_ = nullptr;
  torch::nn::Linear linear2_ = nullptr;
  torch::nn::LayerNorm output_norm_ = nullptr;
};

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

DistilBert::DistilBert(std::span<const std::int64_t> /*shape*/, std::int64_t classes) {
  const auto backbone = bert_part(*this, "distilbert");
  const auto embeddings = bert_part(*backbone, "embeddings");
  const auto words =
      torch::nn::EmbeddingOptions(kBertVocabulary, kBertFeatures).padding_idx(kBertPadding);
  words_ = embeddings->register_module("word_embeddings", torch::nn::Embedding(words));
  positions_ = embeddings->register_module("position_embeddings",
                                           torch::nn::Embedding(kBertTokens, kBertFeatures));
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
  const torch::Tensor placed =
      named(*this, "distilbert.embeddings.add", word + positions_->forward(places));
  torch::Tensor tokens = torch::dropout(norm_->forward(placed), kBertDropout, is_training());
  tokens = named(*this, "distilbert.embeddings.dropout", tokens);
  for (const auto& layer : layers_) {
    tokens = layer->forward(tokens, is_padding);
  }
  torch::Tensor hidden = named(*this, "relu", hidden_->forward(tokens.select(1, 0)).relu_());
  hidden = named(*this, "dropout", torch::dropout(hidden, kBertHeadDropout, is_training()));
  return head_->forward(hidden);
}

ShapeRequirement short_text() {
  return {.expected = "texts [tokens] of at most " + std::to_string(kBertTokens) + " tokens",
          .is_met = [](std::span<const std::int64_t> shape) {
            return shape.size() == 1 && shape[0] >= 1 && shape[0] <= kBertTokens;
          }};
}

}  // namespace

KnownNetwork distilbert_network() {
  return {.name = "distilbert",
          .title = "DistilBERT for sequence classification",
          .reference =
              "Sanh et al., DistilBERT, arXiv 1910.01108; layers as in Hugging Face "
              "transformers",
          .requirement = short_text(),
          .make = maker<DistilBert>(),
          .described = {
              {.input = {128},
               .note = "128 tokens; vocabulary 30,522; classification head (pre_classifier and "
                       "classifier) on the first token; dropout 0.1, in the head 0.2"}}};
}

}  // namespace epochcast::real
