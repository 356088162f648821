// SPDX-License-Identifier: Apache-2.0
#include "core/formats/network_file.hpp"

#include <nlohmann/json.hpp>
#include <utility>

namespace epochcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kNetworkSchema = "epochcast.network/1";
constexpr const char* kClassesText = "classes";

NetworkTensor read_tensor(const JsonInput& input) {
  NetworkTensor tensor;
  const std::vector<JsonInput> parts = input.elements();
  if (parts.size() != 2 || !parts[0].value().is_string()) {
    input.fail("a tensor as [\"name\", [shape]]");
    return tensor;
  }
  tensor.name = parts[0].value().get<std::string>();
  for (const JsonInput& size : parts[1].elements())
    tensor.shape.push_back(size.value() == kClassesText ? kClasses : size.integer(1));
  return tensor;
}

NetworkLayer read_layer(JsonInput input) {
  NetworkLayer layer;
  layer.name = input.at("name").string();
  for (const JsonInput& tensor : input.at("tensors").elements())
    layer.tensors.push_back(read_tensor(tensor));
  layer.forward_flops = input.at("forward").quantity(Dimension::flops, true);
  layer.activation_bytes = input.at("activation").quantity(Dimension::bytes, true);
  if (auto per_class = input.maybe("per_class")) {
    layer.forward_flops_per_class = per_class->at("forward").quantity(Dimension::flops, true);
    layer.activation_bytes_per_class = per_class->at("activation").quantity(Dimension::bytes, true);
    per_class->finish();
  }
  if (auto work = input.maybe("work")) {
    layer.work = LayerWork{.product_flops = work->at("products").quantity(Dimension::flops, true),
                           .moved_bytes = work->at("moved").quantity(Dimension::bytes, true),
                           .operations = work->at("operations").integer(0)};
    work->finish();
  }
  input.finish();
  return layer;
}

NetworkVariant read_variant(JsonInput input) {
  NetworkVariant variant;
  variant.input = read_shape(input.at("input"));
  if (const auto classes = input.maybe("classes")) variant.classes = classes->integer(1);
  if (const auto note = input.maybe("note")) variant.note = note->string();
  variant.buffers = input.at("buffers").integer(0);
  for (const JsonInput& layer : input.at("layers").elements(1))
    variant.layers.push_back(read_layer(layer));
  input.finish();
  return variant;
}

Json tensor_json(const NetworkTensor& tensor) {
  Json shape = Json::array();
  for (const std::int64_t size : tensor.shape)
    shape.push_back(size == kClasses ? Json(kClassesText) : Json(size));
  return Json::array({tensor.name, std::move(shape)});
}

Json costs_json(double flops, double bytes) {
  return {{"forward", quantity_text(flops, Dimension::flops)},
          {"activation", quantity_text(bytes, Dimension::bytes)}};
}

Json layer_json(const NetworkLayer& layer) {
  Json json = {{"name", layer.name}, {"tensors", Json::array()}};
  for (const NetworkTensor& tensor : layer.tensors) json["tensors"].push_back(tensor_json(tensor));
  json.update(costs_json(layer.forward_flops, layer.activation_bytes));
  if (layer.forward_flops_per_class != 0 || layer.activation_bytes_per_class != 0)
    json["per_class"] = costs_json(layer.forward_flops_per_class, layer.activation_bytes_per_class);
  if (layer.work) {
    json["work"] = {{"products", quantity_text(layer.work->product_flops, Dimension::flops)},
                    {"moved", quantity_text(layer.work->moved_bytes, Dimension::bytes)},
                    {"operations", layer.work->operations}};
  }
  return json;
}

std::string variant_text(const NetworkVariant& variant) {
  std::string text = "    {\n";
  text += "      \"input\": " + Json(variant.input).dump() + ",\n";
  if (variant.classes) text += "      \"classes\": " + std::to_string(*variant.classes) + ",\n";
  if (!variant.note.empty()) text += "      \"note\": " + Json(variant.note).dump() + ",\n";
  text += "      \"buffers\": " + std::to_string(variant.buffers) + ",\n";
  text += "      \"layers\": [\n";
  std::size_t left = variant.layers.size();
  for (const NetworkLayer& layer : variant.layers)
    text += "        " + layer_json(layer).dump() + (--left == 0 ? "\n" : ",\n");
  return text + "      ]\n    }";
}

}  // namespace

NetworkFile read_network_file(const nlohmann::json& document, Problems& problems) {
  JsonInput top = open_document(document, kNetworkSchema, problems);
  NetworkFile network;
  network.name = top.at("name").identifier();
  network.title = top.at("title").string();
  network.source = read_source(top.at("source"));
  for (const JsonInput& variant : top.at("variants").elements(1))
    network.variants.push_back(read_variant(variant));
  top.finish();
  return network;
}

std::string network_text(const NetworkFile& network) {
  std::string text = "{\n  \"schema\": " + Json(kNetworkSchema).dump() + ",\n";
  text += "  \"name\": " + Json(network.name).dump() + ",\n";
  text += "  \"title\": " + Json(network.title).dump() + ",\n";
  text += "  \"source\": " + to_json(network.source).dump() + ",\n";
  text += "  \"variants\": [\n";
  std::size_t left = network.variants.size();
  for (const NetworkVariant& variant : network.variants)
    text += variant_text(variant) + (--left == 0 ? "\n" : ",\n");
  return text + "  ]\n}\n";
}

std::vector<std::int64_t> read_shape(const JsonInput& input) {
  std::vector<std::int64_t> shape;
  for (const JsonInput& size : input.elements(1)) shape.push_back(size.integer(1));
  return shape;
}

}  // namespace epochcast
