// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/network_text.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ranges>
#include <stdexcept>

#include "real/torch/networks/known_network.hpp"
#include "real/torch/networks/layer_record.hpp"

namespace epochcast::real {
namespace {

using Json = nlohmann::ordered_json;

/// A prime that is no extent of any tensor, so that in tensors it can only be the number of
/// classes.
constexpr std::int64_t kClasses = 997;

std::string flop(std::int64_t count) { return std::to_string(count) + "flop"; }

std::string bytes(std::int64_t count) { return std::to_string(count) + "B"; }

Json shape_json(const torch::Tensor& tensor) {
  Json json = Json::array();
  for (const std::int64_t extent : tensor.sizes()) {
    json.push_back(extent == kClasses ? Json("classes") : Json(extent));
  }
  return json;
}

/// What a layer with one output per class costs is proportional to their number.
Json layer_json(const LayerRecord& layer,
                const torch::OrderedDict<std::string, torch::Tensor>& parameters) {
  Json tensors = Json::array();
  bool is_per_class = false;
  for (const std::string& name : layer.tensors) {
    const torch::Tensor& tensor = parameters[name];
    tensors.push_back(Json::array({name, shape_json(tensor)}));
    is_per_class = is_per_class || tensor.size(0) == kClasses;
  }
  const std::int64_t share = is_per_class ? kClasses : 1;
  const std::string forward = flop(layer.forward_flop / share);
  const std::string activation = bytes(layer.activation_bytes / share);
  const bool costs = layer.forward_flop != 0 || layer.activation_bytes != 0;
  Json json;
  json["name"] = layer.name;
  json["tensors"] = std::move(tensors);
  json["forward"] = is_per_class ? flop(0) : forward;
  json["activation"] = is_per_class ? bytes(0) : activation;
  if (is_per_class && costs) json["per_class"] = {{"forward", forward}, {"activation", activation}};
  return json;
}

/// Elements of batch norms' running means and variances.
std::int64_t running_statistics(const TorchNetwork& network) {
  std::int64_t count = 0;
  for (const torch::Tensor& buffer : network.buffers()) {
    if (buffer.is_floating_point()) count += buffer.numel();
  }
  return count;
}

std::string variant_text(const KnownNetwork& known, const DescribedShape& described) {
  const auto network = known.make(described.input, kClasses);
  const std::vector<LayerRecord> layers = record_layers(*network, described.input);
  const auto parameters = network->named_parameters();
  std::string text = "    {\n";
  text += "      \"input\": " + Json(described.input).dump() + ",\n";
  text += "      \"note\": " + Json(described.note).dump() + ",\n";
  text += "      \"buffers\": " + std::to_string(running_statistics(*network)) + ",\n";
  text += "      \"layers\": [\n";
  std::size_t left = layers.size();
  for (const LayerRecord& layer : layers | std::views::reverse) {
    --left;
    text += "        " + layer_json(layer, parameters).dump() + (left == 0 ? "\n" : ",\n");
  }
  return text + "      ]\n    }";
}

}  // namespace

std::string network_text(const std::string& name) {
  const std::vector<KnownNetwork>& all = known_networks();
  const auto known = std::find_if(
      all.begin(), all.end(), [&](const KnownNetwork& each) { return each.name == name; });
  if (known == all.end()) throw std::logic_error("no network " + name);
  const Json source = {{"grade", "published"}, {"reference", known->reference}};
  std::string text = "{\n  \"schema\": \"epochcast.network/1\",\n";
  text += "  \"name\": " + Json(known->name).dump() + ",\n";
  text += "  \"title\": " + Json(known->title).dump() + ",\n";
  text += "  \"source\": " + source.dump() + ",\n";
  text += "  \"variants\": [\n";
  for (const DescribedShape& described : known->described) {
    text += variant_text(*known, described);
    text += &described == &known->described.back() ? "\n" : ",\n";
  }
  return text + "  ]\n}\n";
}

}  // namespace epochcast::real
