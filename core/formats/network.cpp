// SPDX-License-Identifier: Apache-2.0
#include "core/formats/network.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/error.hpp"
#include "base/json/json_file.hpp"
#include "base/text/plain_text.hpp"
#include "base/text/suggest.hpp"
#include "core/formats/network_file.hpp"

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

/// Elements of a tensor, or more than kMostElements.
double elements_of(const NetworkTensor& tensor, std::int64_t classes) {
  double elements = 1;
  for (const std::int64_t size : tensor.shape)
    elements *= static_cast<double>(size == kClasses ? classes : size);
  return elements;
}

/// The kind of the layer's products, by the shape of its largest tensor.
ProductKind kind_of(const NetworkLayer& layer) {
  constexpr std::int64_t kFewInputs = 49;  // a depthwise window of 7 x 7
  for (const NetworkTensor& tensor : layer.tensors) {
    if (tensor.name.find("weight_hh") != std::string::npos) return ProductKind::recurrent;
    if (tensor.shape.size() < 3) continue;
    const std::int64_t inputs = std::accumulate(
        tensor.shape.begin() + 1, tensor.shape.end(), std::int64_t{1}, std::multiplies<>());
    return inputs <= kFewInputs ? ProductKind::grouped_convolution : ProductKind::convolution;
  }
  return ProductKind::matrix;
}

/// Completes a layer's work if the file does not state it: layers with weights are products, and
/// for every output that is kept one more number is read.
void add_work(Layer& layer,
              const NetworkLayer& described,
              double per_class_flops,
              double per_class_bytes) {
  layer.kind = kind_of(described);
  if (described.work) {
    layer.product_flops = described.work->product_flops + per_class_flops;
    layer.moved_bytes = described.work->moved_bytes + per_class_bytes;
    layer.operations = static_cast<double>(described.work->operations);
  } else {
    const bool has_weights =
        std::any_of(described.tensors.begin(), described.tensors.end(), [](const auto& tensor) {
          return tensor.shape.size() > 1;
        });
    layer.product_flops = has_weights ? layer.forward_flops : 0;
    layer.moved_bytes = 2 * layer.activation_bytes;
    layer.operations = 1;
  }
  if (layer.kind == ProductKind::recurrent && layer.parameters > 0) {
    const double steps = layer.forward_flops / (2 * static_cast<double>(layer.parameters));
    layer.operations *= std::max(1.0, std::round(steps));
  }
}

/// The layer for so many classes; `path` is its place in the file.
Layer layer_of(const NetworkLayer& described,
               std::int64_t classes,
               const std::string& path,
               Problems& problems) {
  const auto count = static_cast<double>(classes);
  Layer layer = {
      .name = described.name,
      .forward_flops = described.forward_flops + count * described.forward_flops_per_class,
      .activation_bytes =
          described.activation_bytes + count * described.activation_bytes_per_class};
  for (std::size_t i = 0; i < described.tensors.size(); ++i) {
    const NetworkTensor& tensor = described.tensors[i];
    const double elements = elements_of(tensor, classes);
    if (elements > static_cast<double>(kMostElements)) {
      problems.expected(path + "/tensors/" + std::to_string(i) + "/1",
                        tensor.shape,
                        "a tensor of at most 2^44 elements");
      continue;
    }
    layer.parameters += static_cast<std::int64_t>(elements);
    layer.tensors.push_back(tensor.shape);
    std::replace(layer.tensors.back().begin(), layer.tensors.back().end(), kClasses, classes);
    if (layer.parameters > kMostElements) {
      problems.add(path, "has more than 2^44 parameters");
      layer.parameters = 0;
    }
  }
  add_work(layer,
           described,
           count * described.forward_flops_per_class,
           count * described.activation_bytes_per_class);
  return layer;
}

/// The layers for so many classes; `path` is the variant's place in the file.
std::vector<Layer> layers_of(const NetworkVariant& variant,
                             std::int64_t classes,
                             const std::string& path,
                             Problems& problems) {
  std::vector<Layer> layers;
  double parameters = 0;
  for (std::size_t i = 0; i < variant.layers.size(); ++i) {
    layers.push_back(
        layer_of(variant.layers[i], classes, path + "/layers/" + std::to_string(i), problems));
    parameters += static_cast<double>(layers.back().parameters);
  }
  if (parameters > static_cast<double>(kMostElements))
    problems.add(path, "has more than 2^44 parameters");
  return layers;
}

/// Whether some figure of the layers depends on the number of classes.
bool depends_on_classes(const NetworkVariant& variant) {
  const auto is_free = [](const NetworkTensor& tensor) {
    return std::find(tensor.shape.begin(), tensor.shape.end(), kClasses) != tensor.shape.end();
  };
  return std::any_of(variant.layers.begin(), variant.layers.end(), [&](const NetworkLayer& layer) {
    return layer.forward_flops_per_class > 0 || layer.activation_bytes_per_class > 0 ||
           std::any_of(layer.tensors.begin(), layer.tensors.end(), is_free);
  });
}

std::int64_t usual_classes(const NetworkVariant& variant) {
  constexpr std::int64_t kLargeImage = 100;
  const std::vector<std::int64_t>& shape = variant.input;
  return variant.classes.value_or(shape.size() == 3 && shape[1] > kLargeImage ? 1000 : 10);
}

/// "class", "values" or "tokens": a sample's values are as many as there are classes, and of tokens
/// each of the sample's own has one.
Targets read_targets(const JsonInput& input, const Dataset& dataset) {
  const std::string kind = input.string();
  if (kind == "class") return {};
  if (kind == "values") return {.kind = TargetKind::values, .shape = {dataset.classes}};
  if (kind != "tokens") input.fail("class, values or tokens");
  if (!dataset.are_tokens)
    input.problem("tokens are of texts; the samples are " + shape_text(dataset.shape));
  return {.kind = TargetKind::tokens, .shape = dataset.shape};
}

}  // namespace

std::int64_t Network::parameters() const {
  return std::accumulate(
      layers.begin(), layers.end(), std::int64_t{0}, [](std::int64_t sum, const Layer& layer) {
        return sum + layer.parameters;
      });
}

double Network::gradient_bytes() const {
  return bytes_per_gradient * static_cast<double>(parameters());
}

double Network::parameter_bytes() const { return kFloatBytes * static_cast<double>(parameters()); }

double Network::forward_flops() const { return sum_over(layers, &Layer::forward_flops); }

double Network::activation_bytes() const { return sum_over(layers, &Layer::activation_bytes); }

double Network::training_bytes(std::int64_t batch, const StateShares& kept) const {
  const double input_elements =
      std::accumulate(input.begin(), input.end(), 1.0, [](double product, std::int64_t size) {
        return product * static_cast<double>(size);
      });
  return (kept.parameters + kept.gradients + kept.optimizer + kept.vectors) * parameter_bytes() +
         kFloatBytes * static_cast<double>(buffers) +
         static_cast<double>(batch) * bytes_per_activation *
             (activation_bytes() / kFloatBytes + input_elements);
}

bool is_model_file(const std::string& network) {
  const std::string ending = std::filesystem::path(network).extension();
  return ending == ".pt" || ending == ".pth" || ending == ".ts" || ending == ".pt2";
}

std::string unknown_network(const std::string& name, const std::vector<std::string>& known) {
  return unknown_name("network", name, known) +
         (closest_name(name, known).empty() ? "; any other is given as a model file: MODEL.pt"
                                            : "");
}

std::string network_name(const std::string& network) {
  return is_model_file(network) ? as_name(std::filesystem::path(network).stem().string()) : network;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t size : shape) text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
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
  dataset.are_tokens = dataset.shape.size() == 1;
  if (const auto targets = top.maybe("targets")) dataset.targets = read_targets(*targets, dataset);
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

Dataset dataset_of_shape(std::vector<std::int64_t> shape) {
  Dataset dataset;
  dataset.name = "samples of " + shape_text(shape);
  dataset.are_tokens = shape.size() == 1;
  dataset.shape = std::move(shape);
  return dataset;
}

Network parse_network(const nlohmann::json& document,
                      const std::string& file,
                      const Dataset& dataset) {
  Problems problems(file);
  const NetworkFile described = read_network_file(document, problems);
  Network network = {.name = described.name, .title = described.title, .source = described.source};
  std::string shapes;
  for (std::size_t i = 0; i < described.variants.size(); ++i) {
    const NetworkVariant& variant = described.variants[i];
    shapes += (shapes.empty() ? "" : ", ") + shape_text(variant.input);
    if (variant.input != dataset.shape || !network.input.empty()) continue;
    network.input = variant.input;
    network.buffers = variant.buffers;
    if (!depends_on_classes(variant)) network.fixed_classes = variant.classes;
    const std::int64_t classes = dataset.classes > 0 ? dataset.classes : usual_classes(variant);
    network.layers = layers_of(variant, classes, "/variants/" + std::to_string(i), problems);
  }
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

std::string class_note(const Network& network, const Dataset& dataset) {
  const std::int64_t scored = network.fixed_classes.value_or(dataset.classes);
  if (dataset.targets.kind != TargetKind::classes || scored == dataset.classes) return {};
  return network.name + " scores " + std::to_string(scored) + " classes, and " + dataset.name +
         " has " + std::to_string(dataset.classes) +
         (scored < dataset.classes ? ": `train` refuses that until its last layer is replaced"
                                   : ": no sample has one of the other classes");
}

}  // namespace epochcast
