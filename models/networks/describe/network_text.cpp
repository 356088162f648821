// SPDX-License-Identifier: Apache-2.0
#include "models/networks/describe/network_text.hpp"

#include <ranges>

#include "core/formats/network_file.hpp"

namespace epochcast::describe {
namespace {

NetworkLayer layer_of(const Layer& described) {
  NetworkLayer layer = {
      .name = described.name,
      .forward_flops = static_cast<double>(described.forward_flop),
      .activation_bytes = static_cast<double>(described.activation_bytes),
      .forward_flops_per_class = static_cast<double>(described.forward_flop_per_class),
      .activation_bytes_per_class = static_cast<double>(described.activation_bytes_per_class)};
  for (const Tensor& tensor : described.tensors)
    layer.tensors.push_back({tensor.name, tensor.shape});
  return layer;
}

}  // namespace

std::string network_text(const Network& network) {
  NetworkFile file = {.name = network.name,
                      .title = network.title,
                      .source = {.grade = Grade::published, .reference = network.reference},
                      .variants = {}};
  for (const Variant& variant : network.variants) {
    file.variants.push_back(
        {.input = variant.input, .note = variant.note, .buffers = variant.buffers});
    for (const Layer& layer : variant.layers | std::views::reverse)
      file.variants.back().layers.push_back(layer_of(layer));
  }
  return epochcast::network_text(file);
}

}  // namespace epochcast::describe
