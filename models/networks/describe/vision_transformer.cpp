// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "models/networks/describe/families.hpp"
#include "models/networks/describe/variant_builder.hpp"

namespace epochcast::describe {
namespace {

constexpr int kDepth = 12;

struct Size {
  std::string name;
  std::string title;
  std::string reference;
  std::int64_t features;
  std::int64_t heads;
};

void encoder_layer(VariantBuilder& net, const std::string& name, const Size& size) {
  const Shape tokens = net.shape();
  net.layer_norm(name + ".ln_1");
  const std::string attention = name + ".self_attention";
  // Query, key and value come from one product, whose tensors are the attention's own.
  net.append({.name = attention,
              .tensors = {{attention + ".in_proj_weight", {3 * size.features, size.features}},
                          {attention + ".in_proj_bias", {3 * size.features}}},
              .forward_flop = 2 * tokens[0] * size.features * 3 * size.features,
              .activation_bytes = 4 * tokens[0] * 3 * size.features},
             tokens);
  net.attention(attention, size.heads, false);
  net.linear(attention + ".out_proj", size.features, Output::kFreed);
  net.add(name + ".add_1", Output::kKept);
  net.layer_norm(name + ".ln_2");
  net.linear(name + ".mlp.0", 4 * size.features);
  net.pointwise(name + ".mlp.1");
  net.linear(name + ".mlp.3", size.features, Output::kFreed);
  net.add(name + ".add_2", Output::kKept);
}

Variant vision_transformer(const Size& size, Shape input, std::int64_t patch) {
  VariantBuilder net(
      std::move(input),
      "patches of " + std::to_string(patch) + "x" + std::to_string(patch) + ", no dropout");
  net.convolution("conv_proj",
                  {.channels = size.features, .kernel = patch, .stride = patch, .bias = true},
                  Output::kFreed);
  const std::int64_t tokens = net.shape()[1] * net.shape()[2] + 1;
  const Shape encoded = {tokens, size.features};
  net.append({.name = "class_token", .tensors = {{"class_token", {1, 1, size.features}}}}, encoded);
  net.append({.name = "encoder",
              .tensors = {{"encoder.pos_embedding", {1, tokens, size.features}}},
              .forward_flop = element_count(encoded),
              .activation_bytes = 4 * element_count(encoded)},
             encoded);
  for (int i = 0; i < kDepth; ++i) {
    encoder_layer(net, "encoder.layers.encoder_layer_" + std::to_string(i), size);
  }
  net.layer_norm("encoder.ln");
  net.set_shape({size.features});
  net.classifier("heads.head");
  return net.build();
}

}  // namespace

std::vector<Network> vision_transformer_family() {
  std::vector<Network> networks;
  for (const Size& size : {Size{.name = "vit-s",
                          .title = "Vision Transformer, small",
                          .reference = "Touvron et al., Training data-efficient image "
                                       "transformers, ICML 2021, table 1 (DeiT-S)",
                          .features = 384,
                          .heads = 6},
                           Size{.name = "vit-b",
                           .title = "Vision Transformer, base",
                           .reference = "Dosovitskiy et al., An Image is Worth 16x16 Words, "
                                        "ICLR 2021, table 1; layers as in torchvision",
                           .features = 768,
                           .heads = 12}}) {
    networks.push_back({.name = size.name,
                        .title = size.title,
                        .reference = size.reference,
                        .variants = {vision_transformer(size, {3, 32, 32}, 4),
                                     vision_transformer(size, {3, 64, 64}, 4),
                                     vision_transformer(size, {3, 224, 224}, 16),
                                     vision_transformer(size, {3, 384, 384}, 16)}});
  }
  return networks;
}

}  // namespace epochcast::describe
