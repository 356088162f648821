// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "real/torch/networks/known_network.hpp"
#include "real/torch/networks/layers.hpp"

namespace epochcast::real {
namespace {

constexpr std::int64_t kVitDepth = 12;

/// The parameters of a vision transformer.
struct VisionTransformerPlan {
  std::int64_t features = 768;
  std::int64_t heads = 12;
};

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
    return projection_->forward(attend(*this, parts[0], parts[1], parts[2], {.heads = heads_}));
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
                                  Chain(torch::nn::Linear(features, 4 * features),
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
    const torch::Tensor attended =
        named(*this, "add_1", tokens + attention_->forward(norm1_->forward(tokens)));
    return named(*this, "add_2", attended + perceptron_->forward(norm2_->forward(attended)));
  }

 private:
  torch::nn::LayerNorm norm1_ = nullptr;
  std::shared_ptr<SelfAttention> attention_;
  torch::nn::LayerNorm norm2_ = nullptr;
  Chain perceptron_ = nullptr;
};

/// Rows and columns of a patch: 4 for images of up to 64 rows, 16 for larger ones.
std::int64_t patch_size(std::span<const std::int64_t> shape) {
  return is_large_image(shape) ? 16 : 4;
}

/// A vision transformer of twelve layers without dropout (Dosovitskiy et al., ICLR 2021, section
/// 3.1); layers and initialisation as in torchvision, so the first scores are all zero.
class VisionTransformer : public TorchNetwork {
 public:
  /// Rows and columns must be multiples of patch_size().
  VisionTransformer(const VisionTransformerPlan& plan,
                    std::span<const std::int64_t> shape,
                    std::int64_t classes);

  torch::Tensor forward(torch::Tensor samples) override;

 private:
  torch::Tensor class_token_;
  torch::nn::Conv2d projection_ = nullptr;
  torch::Tensor positions_;
  torch::nn::Sequential layers_ = nullptr;
  torch::nn::LayerNorm norm_ = nullptr;
  torch::nn::Linear head_ = nullptr;
};

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

ShapeRequirement image_of_patches() {
  return {.expected =
              "images [channels, rows, columns] whose rows and columns are multiples of 4, "
              "or of 16 with more than 64 rows",
          .is_met = [](std::span<const std::int64_t> shape) {
            return is_image(shape, 1) && shape[1] % patch_size(shape) == 0 &&
                   shape[2] % patch_size(shape) == 0;
          }};
}

DescribedShape described_vit(const std::vector<std::int64_t>& shape) {
  const std::string side = std::to_string(patch_size(shape));
  return {.input = shape, .note = "patches of " + side + "x" + side + ", no dropout"};
}

KnownNetwork vit_network(const std::string& name,
                         const std::string& title,
                         const std::string& reference,
                         const VisionTransformerPlan& plan) {
  return {.name = name,
          .title = title,
          .reference = reference,
          .requirement = image_of_patches(),
          .make = maker<VisionTransformer>(plan),
          .described = {described_vit({3, 32, 32}),
                        described_vit({3, 64, 64}),
                        described_vit({3, 224, 224}),
                        described_vit({3, 384, 384})}};
}

}  // namespace

KnownNetwork vit_small_network() {
  return vit_network("vit-s",
                     "Vision Transformer, small",
                     "Touvron et al., Training data-efficient image transformers, ICML 2021, "
                     "table 1 (DeiT-S)",
                     {.features = 384, .heads = 6});
}

KnownNetwork vit_base_network() {
  return vit_network("vit-b",
                     "Vision Transformer, base",
                     "Dosovitskiy et al., An Image is Worth 16x16 Words, ICLR 2021, table 1; "
                     "layers as in torchvision",
                     {.features = 768, .heads = 12});
}

}  // namespace epochcast::real
