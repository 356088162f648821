// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "models/networks/describe/families.hpp"
#include "models/networks/describe/variant_builder.hpp"

namespace epochcast::describe {
namespace {

constexpr std::int64_t kVocabulary = 30522;
constexpr std::int64_t kPositions = 512;
constexpr std::int64_t kFeatures = 768;
constexpr std::int64_t kHeads = 12;
constexpr int kDepth = 6;

/// One encoder layer; layer norm comes after each sum. A sum's operands are not kept, the sum is.
void encoder_layer(VariantBuilder& net, const std::string& name) {
  for (const char* projection : {".attention.q_lin", ".attention.k_lin", ".attention.v_lin"}) {
    net.linear(name + projection, kFeatures);
  }
  net.attention(name + ".attention", kHeads, true);
  net.linear(name + ".attention.out_lin", kFeatures, Output::kFreed);
  net.add(name + ".add_1", Output::kKept);
  net.layer_norm(name + ".sa_layer_norm");
  net.linear(name + ".ffn.lin1", 4 * kFeatures);
  net.pointwise(name + ".ffn.activation");
  net.linear(name + ".ffn.lin2", kFeatures, Output::kFreed);
  net.pointwise(name + ".ffn.dropout", Output::kFreed);
  net.add(name + ".add_2", Output::kKept);
  net.layer_norm(name + ".output_layer_norm");
}

Variant distilbert() {
  VariantBuilder net({128},
                     "128 tokens; vocabulary 30,522; classification head (pre_classifier and "
                     "classifier) on the first token; dropout 0.1, in the head 0.2");
  const Shape encoded = {128, kFeatures};
  const std::string embeddings = "distilbert.embeddings.";
  // A lookup computes nothing, and its backward pass reads the tokens only.
  net.append({.name = embeddings + "word_embeddings",
              .tensors = {{embeddings + "word_embeddings.weight", {kVocabulary, kFeatures}}}},
             encoded);
  net.append({.name = embeddings + "position_embeddings",
              .tensors = {{embeddings + "position_embeddings.weight", {kPositions, kFeatures}}}},
             encoded);
  net.add(embeddings + "add", Output::kKept);
  net.layer_norm(embeddings + "LayerNorm");
  net.pointwise(embeddings + "dropout");
  for (int i = 0; i < kDepth; ++i) {
    encoder_layer(net, "distilbert.transformer.layer." + std::to_string(i));
  }
  net.set_shape({kFeatures});
  net.linear("pre_classifier", kFeatures);
  net.in_place("relu");
  net.pointwise("dropout");
  net.classifier("classifier");
  return net.build();
}

}  // namespace

std::vector<Network> distilbert_family() {
  return {{.name = "distilbert",
           .title = "DistilBERT for sequence classification",
           .reference = "Sanh et al., DistilBERT, arXiv 1910.01108; layers as in Hugging Face "
                        "transformers",
           .variants = {distilbert()}}};
}

}  // namespace epochcast::describe
