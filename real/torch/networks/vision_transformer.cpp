// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/vision_transformer.hpp"

#include <cmath>
#include <memory>
#include <string>

#include "real/torch/networks/layers.hpp"

namespace epochcast::real {
namespace {

constexpr std::int64_t kVitDepth = 12;

torch::nn::LayerNorm vit_norm(std::int64_t features) {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({features}).eps(1e-6));
}

/// Attention of all tokens to each other; query, key and value come from one product.
class SelfAttention : public torch::nn::Module {
 public:
  explicit SelfAttention(const VisionTransformerPlan& plan) : heads_(plan.heads) {
    const std::int64_t features = plan.features;
    weight_ = register_parameter("in_proj_weight", torch::empty({3 * features, features}));
    bias_ = register_parameter("in_proj_bias", torch::zeros({3 * features}));
    projection_ = register_module("out_proj", torch::nn::Linear(features, features));
    torch::nn::init::xavier_uniform_(weight_);
    torch::nn::init::zeros_(projection_->bias);
  }

  torch::Tensor forward(const torch::Tensor& tokens) {
    const auto parts = torch::linear(tokens, weight_, bias_).chunk(3, -1);
    return projection_->forward(attend(parts[0], parts[1], parts[2], {.heads = heads_}));
  }

 private:
  std::int64_t heads_;
  torch::Tensor weight_;
  torch::Tensor bias_;
  torch::nn::Linear projection_ = nullptr;
};

/// Attention and a perceptron of one hidden layer, each after a layer norm, each added to its
/// input.
class VitLayer : public torch::nn::Module {
 public:
  explicit VitLayer(const VisionTransformerPlan& plan) {
    const std::int64_t features = plan.features;
    norm1_ = register_module("ln_1", vit_norm(features));
    attention_ = register_module("self_attention", std::make_shared<SelfAttention>(plan));
    norm2_ = register_module("ln_2", vit_norm(features));
    perceptron_ = register_module("mlp",
                                  torch::nn::Sequential(torch::nn::Linear(features, 4 * features),
                                                        torch::nn::GELU(),
                                                        torch::nn::Dropout(0.0),
                                                        torch::nn::Linear(4 * features, features)));
    for (const auto& module : perceptron_->children()) {
      if (auto* layer = module->as<torch::nn::Linear>()) {
        torch::nn::init::xavier_uniform_(layer->weight);
        torch::nn::init::normal_(layer->bias, 0, 1e-6);
      }
    }
  }

  torch::Tensor forward(const torch::Tensor& tokens) {
    const torch::Tensor attended = tokens + attention_->forward(norm1_->forward(tokens));
    return attended + perceptron_->forward(norm2_->forward(attended));
  }

 private:
  torch::nn::LayerNorm norm1_ = nullptr;
  std::shared_ptr<SelfAttention> attention_;
  torch::nn::LayerNorm norm2_ = nullptr;
  torch::nn::Sequential perceptron_ = nullptr;
};

}  // namespace

VisionTransformerPlan vit_small_plan() { return {.features = 384, .heads = 6}; }

VisionTransformerPlan vit_base_plan() { return {.features = 768, .heads = 12}; }

std::int64_t patch_size(std::span<const std::int64_t> shape) {
  return is_large_image(shape) ? 16 : 4;
}

VisionTransformer::VisionTransformer(const VisionTransformerPlan& plan,
                                     std::span<const std::int64_t> shape,
                                     std::int64_t classes) {
  const std::int64_t patch = patch_size(shape);
  const std::int64_t tokens = 1 + (shape[1] / patch) * (shape[2] / patch);
  class_token_ = register_parameter("class_token", torch::zeros({1, 1, plan.features}));
  projection_ = register_module(
      "conv_proj",
      torch::nn::Conv2d(torch::nn::Conv2dOptions(shape[0], plan.features, patch).stride(patch)));
  const auto encoder = register_module("encoder", std::make_shared<torch::nn::Module>());
  positions_ =
      encoder->register_parameter("pos_embedding", torch::empty({1, tokens, plan.features}));
  torch::nn::Sequential layers;
  for (std::int64_t i = 0; i < kVitDepth; ++i) {
    layers->push_back("encoder_layer_" + std::to_string(i), std::make_shared<VitLayer>(plan));
  }
  layers_ = encoder->register_module("layers", layers);
  norm_ = encoder->register_module("ln", vit_norm(plan.features));
  const auto heads = register_module("heads", std::make_shared<torch::nn::Module>());
  head_ = heads->register_module("head", torch::nn::Linear(plan.features, classes));

  // torchvision truncates this normal distribution at 14 deviations and more.
  const double deviation = std::sqrt(1 / static_cast<double>(shape[0] * patch * patch));
  torch::nn::init::normal_(projection_->weight, 0, deviation);
  torch::nn::init::zeros_(projection_->bias);
  torch::nn::init::normal_(positions_, 0, 0.02);
  torch::nn::init::zeros_(head_->weight);
  torch::nn::init::zeros_(head_->bias);
}

torch::Tensor VisionTransformer::forward(torch::Tensor samples) {
  const torch::Tensor patches = projection_->forward(samples).flatten(2).transpose(1, 2);
  const torch::Tensor first = class_token_.expand({samples.size(0), -1, -1});
  torch::Tensor tokens = torch::cat({first, patches}, 1) + positions_;
  tokens = norm_->forward(layers_->forward(tokens));
  return head_->forward(tokens.select(1, 0));
}

}  // namespace epochcast::real
