// SPDX-License-Identifier: Apache-2.0
#include "models/networks/describe/network_text.hpp"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <ranges>

namespace epochcast::describe {
namespace {

using Json = nlohmann::ordered_json;

std::string flop(std::int64_t count) { return std::to_string(count) + "flop"; }

std::string bytes(std::int64_t count) { return std::to_string(count) + "B"; }

Json shape_json(const std::vector<std::int64_t>& shape) {
  Json json = Json::array();
  for (const std::int64_t extent : shape) {
    json.push_back(extent == kClasses ? Json("classes") : Json(extent));
  }
  return json;
}

Json layer_json(const Layer& layer) {
  Json tensors = Json::array();
  for (const Tensor& tensor : layer.tensors) {
    tensors.push_back(Json::array({tensor.name, shape_json(tensor.shape)}));
  }
  Json json;
  json["name"] = layer.name;
  json["tensors"] = std::move(tensors);
  json["forward"] = flop(layer.forward_flop);
  json["activation"] = bytes(layer.activation_bytes);
  if (layer.forward_flop_per_class != 0 || layer.activation_bytes_per_class != 0) {
    json["per_class"] = {{"forward", flop(layer.forward_flop_per_class)},
                         {"activation", bytes(layer.activation_bytes_per_class)}};
  }
  return json;
}

std::string variant_text(const Variant& variant) {
  std::string text = "    {\n";
  text += "      \"input\": " + shape_json(variant.input).dump() + ",\n";
  text += "      \"note\": " + Json(variant.note).dump() + ",\n";
  text += "      \"buffers\": " + std::to_string(variant.buffers) + ",\n";
  text += "      \"layers\": [\n";
  std::size_t left = variant.layers.size();
  for (const Layer& layer : variant.layers | std::views::reverse) {
    --left;
    text += "        " + layer_json(layer).dump() + (left == 0 ? "\n" : ",\n");
  }
  return text + "      ]\n    }";
}

}  // namespace

std::string network_text(const Network& network) {
  const Json source = {{"grade", "published"}, {"reference", network.reference}};
  std::string text = "{\n  \"schema\": \"epochcast.network/1\",\n";
  text += "  \"name\": " + Json(network.name).dump() + ",\n";
  text += "  \"title\": " + Json(network.title).dump() + ",\n";
  text += "  \"source\": " + source.dump() + ",\n";
  text += "  \"variants\": [\n";
  for (std::size_t v = 0; v < network.variants.size(); ++v) {
    text += variant_text(network.variants[v]);
    text += v + 1 == network.variants.size() ? "\n" : ",\n";
  }
  return text + "  ]\n}\n";
}

}  // namespace epochcast::describe
