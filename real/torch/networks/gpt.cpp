// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "real/torch/networks/known_network.hpp"
#include "real/torch/networks/layers.hpp"

namespace epochcast::real {
namespace {

constexpr double kGptDeviation = 0.02;

/// The parameters of a GPT.
struct GptPlan {
  int depth = 12;
  std::int64_t heads = 12;
  std::int64_t features = 768;
  std::int64_t most_tokens = 1024;
  bool has_biases = true;
  double dropout = 0;
};

torch::nn::Linear gpt_linear(const GptPlan& plan, std::int64_t in, std::int64_t out) {
  return torch::nn::Linear(torch::nn::LinearOptions(in, out).bias(plan.has_biases));
}

/// A layer norm with optional bias; LibTorch's always has one.
class GptNorm : public torch::nn::Module {
 public:
  explicit GptNorm(const GptPlan& plan) : features_(plan.features) {
    weight_ = register_parameter("weight", torch::ones({features_}));
    if (plan.has_biases) bias_ = register_parameter("bias", torch::zeros({features_}));
  }

  torch::Tensor forward(const torch::Tensor& tokens) {
    constexpr double kEpsilon = 1e-5;
    return torch::layer_norm(tokens, {features_}, weight_, bias_, kEpsilon);
  }

 private:
  std::int64_t features_;
  torch::Tensor weight_;
  torch::Tensor bias_;
};

/// Attention of each token to those before it; query, key and value come from one product.
class CausalAttention : public torch::nn::Module {
 public:
  explicit CausalAttention(const GptPlan& plan) : plan_(plan) {
    joint_ = register_module("c_attn", gpt_linear(plan, plan.features, 3 * plan.features));
    projection_ = register_module("c_proj", gpt_linear(plan, plan.features, plan.features));
  }

  torch::Tensor forward(const torch::Tensor& tokens) {
    const auto parts = joint_->forward(tokens).chunk(3, -1);
    return projection_->forward(attend(
        *this,
        parts[0],
        parts[1],
        parts[2],
        {.heads = plan_.heads, .is_causal = true, .dropout = is_training() ? plan_.dropout : 0}));
  }

 private:
  GptPlan plan_;
  torch::nn::Linear joint_ = nullptr;
  torch::nn::Linear projection_ = nullptr;
};

/// Attention and a perceptron of one hidden layer, each after a layer norm, each added to its
/// input.
class GptBlock : public torch::nn::Module {
 public:
  explicit GptBlock(const GptPlan& plan) : dropout_(plan.dropout) {
    norm1_ = register_module("ln_1", std::make_shared<GptNorm>(plan));
    attention_ = register_module("attn", std::make_shared<CausalAttention>(plan));
    norm2_ = register_module("ln_2", std::make_shared<GptNorm>(plan));
    const auto perceptron = register_module("mlp", std::make_shared<torch::nn::Module>());
    hidden_ =
        perceptron->register_module("c_fc", gpt_linear(plan, plan.features, 4 * plan.features));
    output_ =
        perceptron->register_module("c_proj", gpt_linear(plan, 4 * plan.features, plan.features));
  }

  torch::Tensor forward(const torch::Tensor& tokens) {
    torch::Tensor attended = attention_->forward(norm1_->forward(tokens));
    attended = named(*this, "add_1", tokens + dropped(attended, "attn.dropout_2"));
    const torch::Tensor hidden =
        named(*this, "mlp.gelu", torch::gelu(hidden_->forward(norm2_->forward(attended))));
    return named(*this, "add_2", attended + dropped(output_->forward(hidden), "mlp.dropout"));
  }

 private:
  torch::Tensor dropped(const torch::Tensor& tokens, const std::string& name) {
    if (dropout_ == 0) return tokens;
    return named(*this, name, torch::dropout(tokens, dropout_, is_training()));
  }

  double dropout_;
  std::shared_ptr<GptNorm> norm1_;
  std::shared_ptr<CausalAttention> attention_;
  std::shared_ptr<GptNorm> norm2_;
  torch::nn::Linear hidden_ = nullptr;
  torch::nn::Linear output_ = nullptr;
};

/// A decoder-only transformer that scores the successor of each token: GPT-2 (Radford et al., 2019,
/// section 2.3), with tensors named, initialised and sized as in Karpathy's nanoGPT. The embedding
/// of tokens is also the output layer (Press and Wolf, EACL 2017).
///
/// Samples are token numbers [batch, tokens] below the vocabulary's size, as floats (exact, these
/// being small integers).
class Gpt : public TorchNetwork {
 public:
  /// `shape` is {tokens}; `vocabulary` different ones.
  Gpt(const GptPlan& plan, std::span<const std::int64_t> shape, std::int64_t vocabulary);

  /// Scores [batch, tokens, vocabulary].
  torch::Tensor forward(torch::Tensor samples) override;
  /// The output layer is the embedding of tokens.
  [[nodiscard]] std::string classifier() const override { return {}; }

 private:
  double dropout_;
  torch::nn::Embedding words_ = nullptr;
  torch::nn::Embedding positions_ = nullptr;
  std::vector<std::shared_ptr<GptBlock>> blocks_;
  std::shared_ptr<GptNorm> norm_;
};

Gpt::Gpt(const GptPlan& plan, std::span<const std::int64_t> /*shape*/, std::int64_t vocabulary)
    : dropout_(plan.dropout) {
  const auto backbone = register_module("transformer", std::make_shared<torch::nn::Module>());
  words_ = backbone->register_module("wte", torch::nn::Embedding(vocabulary, plan.features));
  positions_ =
      backbone->register_module("wpe", torch::nn::Embedding(plan.most_tokens, plan.features));
  const auto blocks = backbone->register_module("h", std::make_shared<torch::nn::Module>());
  for (int i = 0; i < plan.depth; ++i)
    blocks_.push_back(blocks->register_module(std::to_string(i), std::make_shared<GptBlock>(plan)));
  norm_ = backbone->register_module("ln_f", std::make_shared<GptNorm>(plan));

  const torch::NoGradGuard no_gradients;
  for (auto& parameter : named_parameters()) {
    const std::string& name = parameter.key();
    if (name.find(".ln_") != std::string::npos) continue;
    if (name.ends_with("bias")) {
      parameter.value().zero_();
    } else {
      // Weights of the two residual branches of each block are scaled by the root of their number.
      const bool is_residual = name.ends_with("c_proj.weight");
      parameter.value().normal_(
          0, is_residual ? kGptDeviation / std::sqrt(2.0 * plan.depth) : kGptDeviation);
    }
  }
}

torch::Tensor Gpt::forward(torch::Tensor samples) {
  const torch::Tensor numbers = samples.to(torch::kLong);
  const torch::Tensor places =
      torch::arange(numbers.size(1), torch::TensorOptions(torch::kLong).device(numbers.device()));
  torch::Tensor tokens = words_->forward(numbers);
  tokens = named(*this, "transformer.add", tokens + positions_->forward(places));
  if (dropout_ > 0)
    tokens = named(*this, "transformer.drop", torch::dropout(tokens, dropout_, is_training()));
  for (const auto& block : blocks_) tokens = block->forward(tokens);
  return named(*this, "lm_head", torch::linear(norm_->forward(tokens), words_->weight));
}

ShapeRequirement tokens_up_to(std::int64_t most) {
  return {.expected = "texts [tokens] of at most " + std::to_string(most) + " tokens",
          .is_met = [most](std::span<const std::int64_t> shape) {
            return shape.size() == 1 && shape[0] >= 1 && shape[0] <= most;
          }};
}

KnownNetwork known_gpt(const std::string& name,
                       const std::string& title,
                       const std::string& sizes,
                       const GptPlan& plan,
                       std::int64_t vocabulary) {
  constexpr int kLengths = 4;  // each is half of the one before
  std::vector<DescribedShape> described;
  for (int i = 0; i < kLengths; ++i) {
    const std::int64_t tokens = plan.most_tokens >> i;
    described.push_back(
        {.input = {tokens},
         .classes = vocabulary,
         .note = std::to_string(tokens) +
                 " tokens; classes are the vocabulary, whose embedding also scores the tokens; "
                 "attention to all tokens, masked"});
  }
  return {.name = name,
          .title = title,
          .reference =
              "Radford et al., Language Models are Unsupervised Multitask Learners, 2019; sizes, "
              "names and initialisation as in nanoGPT (" +
              sizes + ")",
          .requirement = tokens_up_to(plan.most_tokens),
          .make = maker<Gpt>(plan),
          .described = std::move(described),
          .scores_tokens = true};
}

}  // namespace

KnownNetwork gpt_char_network() {
  constexpr std::int64_t kCharacters = 65;
  return known_gpt("gpt-char",
                   "GPT of six layers, for characters",
                   "config/train_shakespeare_char.py",
                   {.depth = 6,
                    .heads = 6,
                    .features = 384,
                    .most_tokens = 256,
                    .has_biases = false,
                    .dropout = 0.2},
                   kCharacters);
}

KnownNetwork gpt2_network() {
  constexpr std::int64_t kWordPieces = 50'257;
  return known_gpt("gpt2", "GPT-2, 124 million parameters", "model.py", {}, kWordPieces);
}

}  // namespace epochcast::real
