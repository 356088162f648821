// SPDX-License-Identifier: Apache-2.0
#include "core/formats/network.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/error.hpp"
#include "core/json/json_file.hpp"

namespace epochcast {
namespace {

constexpr double kFloatBytes = 4;
constexpr std::int64_t kMostElements = std::int64_t{1} << 44;

template <typename Member>
double sum_over(const std::vector<Layer>& layers, Member member) {
  return std::accumulate(
      layers.begin(), layers.end(), 0.0, [member](double sum, const Layer& layer) {
        return sum + static_cast<double>(layer.*member);
      });
}

/// Elements of one `["name", [shape]]`, "classes" in the shape replaced.
std::int64_t read_tensor(const JsonInput& input, std::int64_t classes) {
  const std::vector<JsonInput> parts = input.elements();
  if (parts.size() != 2 || !parts[0].value().is_string()) {
    input.fail("a tensor as [\"name\", [shape]]");
    return 0;
  }
  double elements = 1;
  for (const JsonInput& size : parts[1].elements()) {
    elements *= static_cast<double>(size.value() == "classes" ? classes : size.integer(1));
  }
  if (elements > static_cast<double>(kMostElements)) {
    parts[1].fail("a tensor of at most 2^44 elements");
    return 0;
  }
  return static_cast<std::int64_t>(elements);
}

Layer read_layer(JsonInput input, std::int64_t classes) {
  Layer layer;
  layer.name = input.at("name").string();
  for (const JsonInput& tensor : input.at("tensors").elements()) {
    layer.parameters += read_tensor(tensor, classes);
    if (layer.parameters > kMostElements) {
      input.problem("has more than 2^44 parameters");
      layer.parameters = 0;
    }
  }
  layer.forward_flops = input.at("forward").quantity(Dimension::flops, true);
  layer.activation_bytes = input.at("activation").quantity(Dimension::bytes, true);
  if (auto per_class = input.maybe("per_class")) {
    const auto count = static_cast<double>(classes);
    layer.forward_flops += count * per_class->at("forward").quantity(Dimension::flops, true);
    layer.activation_bytes += count * per_class->at("activation").quantity(Dimension::bytes, true);
    per_class->finish();
  }
  input.finish();
  return layer;
}

}  // namespace

std::int64_t Network::parameters() const {
  return std::accumulate(
      layers.begin(), layers.end(), std::int64_t{0}, [](std::int64_t sum, const Layer& layer) {
        return sum + layer.parameters;
      });
}

double Network::gradient_bytes() const { return kFloatBytes * static_cast<double>(parameters()); }

double Network::forward_flops() const { return sum_over(layers, &Layer::forward_flops); }

double Network::activation_bytes() const { return sum_over(layers, &Layer::activation_bytes); }

double Network::training_bytes(std::int64_t batch) const {
  const double input_elements =
      std::accumulate(input.begin(), input.end(), 1.0, [](double product, std::int64_t size) {
        return product * static_cast<double>(size);
      });
  return 3 * gradient_bytes() + kFloatBytes * static_cast<double>(buffers) +
         static_cast<double>(batch) * (activation_bytes() + kFloatBytes * input_elements);
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t size : shape) text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

std::vector<std::int64_t> read_shape(const JsonInput& input) {
  std::vector<std::int64_t> shape;
  for (const JsonInput& size : input.elements(1)) shape.push_back(size.integer(1));
  return shape;
}

Dataset parse_dataset(const nlohmann::json& document, const std::string& file) {
  Problems problems(file);
  JsonInput top = open_document(document, "epochcast.dataset/1", problems);
  Dataset dataset;
  dataset.name = top.at("name").identifier();
  dataset.title = top.at("title").string();
  dataset.source = read_source(top.at("source"));
  dataset.train_samples = top.at("train_samples").integer(1);
  dataset.test_samples = top.at("test_samples").integer(0);
  dataset.shape = read_shape(top.at("shape"));
  dataset.sample_bytes = top.at("sample").quantity(Dimension::bytes);
  dataset.classes = top.at("classes").integer(1);
  if (const auto resize = top.maybe("resize")) {
    const bool is_image = dataset.shape.size() == 3;
    if (!is_image) resize->problem("is for images; the samples are " + shape_text(dataset.shape));
    dataset.resize = resize->integer(is_image ? std::max(dataset.shape[1], dataset.shape[2]) : 1);
  }
  top.finish();
  problems.throw_if_any();
  return dataset;
}

Dataset load_dataset(const std::filesystem::path& file) {
  return parse_dataset(read_json_file(file), file.string());
}

Network parse_network(const nlohmann::json& document,
                      const std::string& file,
                      const Dataset& dataset) {
  Problems problems(file);
  JsonInput top = open_document(document, "epochcast.network/1", problems);
  Network network;
  network.name = top.at("name").identifier();
  network.title = top.at("title").string();
  network.source = read_source(top.at("source"));
  std::string shapes;
  double parameters = 0;
  for (JsonInput& variant : top.at("variants").elements(1)) {
    const std::vector<std::int64_t> shape = read_shape(variant.at("input"));
    shapes += (shapes.empty() ? "" : ", ") + shape_text(shape);
    if (shape != dataset.shape || !network.input.empty()) continue;
    network.input = shape;
    if (const auto note = variant.maybe("note")) static_cast<void>(note->string());
    network.buffers = variant.at("buffers").integer(0);
    for (const JsonInput& layer : variant.at("layers").elements(1)) {
      network.layers.push_back(read_layer(layer, dataset.classes));
      parameters += static_cast<double>(network.layers.back().parameters);
    }
    if (parameters > static_cast<double>(kMostElements)) {
      variant.problem("has more than 2^44 parameters");
    }
    variant.finish();
  }
  top.finish();
  problems.throw_if_any();
  if (network.input.empty()) {
    throw UserError(file + ": network " + network.name + " has no variant for " + dataset.name +
                    ", whose samples are " + shape_text(dataset.shape) + "; it has " + shapes);
  }
  if (network.parameters() == 0)
    throw UserError(file + ": network " + network.name + " has no parameters");
  return network;
}

Network load_network(const std::filesystem::path& file, const Dataset& dataset) {
  return parse_network(read_json_file(file), file.string(), dataset);
}

}  // namespace epochcast
