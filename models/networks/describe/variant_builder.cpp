// SPDX-License-Identifier: Apache-2.0
#include "models/networks/describe/variant_builder.hpp"

#include <stdexcept>
#include <utility>

namespace epochcast::describe {
namespace {

constexpr std::int64_t kFloatBytes = 4;
constexpr std::int64_t kFlopPerMultiplyAdd = 2;
constexpr std::int64_t kFlopPerNormalisedElement = 4;
constexpr std::int64_t kFlopPerSoftmaxElement = 5;

/// The extent that a window leaves of one extent (PyTorch's floor mode).
std::int64_t windowed(std::int64_t extent,
                      std::int64_t kernel,
                      std::int64_t stride,
                      std::int64_t padding) {
  const std::int64_t padded = extent + 2 * padding;
  if (padded < kernel) throw std::logic_error("a window is larger than the map under it");
  return (padded - kernel) / stride + 1;
}

}  // namespace

std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

VariantBuilder::VariantBuilder(Shape input, std::string note)
    : variant_{.input = input, .note = std::move(note), .layers = {}}, shape_(std::move(input)) {}

std::int64_t VariantBuilder::elements() const { return element_count(shape_); }

std::int64_t VariantBuilder::bytes(Output output) const {
  return output == Output::kKept ? elements() * kFloatBytes : 0;
}

void VariantBuilder::require_map(const std::string& name) const {
  if (shape_.size() != 3) throw std::logic_error(name + " needs [channels, height, width]");
}

void VariantBuilder::append(Layer layer, Shape output) {
  variant_.layers.push_back(std::move(layer));
  shape_ = std::move(output);
}

void VariantBuilder::convolution(const std::string& name,
                                 const Convolution& settings,
                                 Output output) {
  require_map(name);
  const std::int64_t in_per_group = shape_[0] / settings.groups;
  const Shape weight = {settings.channels, in_per_group, settings.kernel, settings.kernel};
  Layer layer{.name = name, .tensors = {{name + ".weight", weight}}};
  if (settings.bias) layer.tensors.push_back({name + ".bias", {settings.channels}});
  shape_ = {settings.channels,
            windowed(shape_[1], settings.kernel, settings.stride, settings.padding),
            windowed(shape_[2], settings.kernel, settings.stride, settings.padding)};
  layer.forward_flop = kFlopPerMultiplyAdd * element_count(weight) * shape_[1] * shape_[2];
  layer.activation_bytes = bytes(output);
  append(std::move(layer), shape_);
}

void VariantBuilder::upsample(const std::string& name, std::int64_t factor) {
  require_map(name);
  shape_ = {shape_[0], factor * shape_[1], factor * shape_[2]};
  append({.name = name, .tensors = {}, .activation_bytes = bytes(Output::kKept)}, shape_);
}

void VariantBuilder::batch_norm(const std::string& name, Output output) {
  if (shape_.size() != 1) require_map(name);
  const std::int64_t channels = shape_[0];
  variant_.buffers += 2 * channels;
  append({.name = name,
          .tensors = {{name + ".weight", {channels}}, {name + ".bias", {channels}}},
          .forward_flop = kFlopPerNormalisedElement * elements(),
          .activation_bytes = bytes(output)},
         shape_);
}

void VariantBuilder::layer_norm(const std::string& name) {
  const std::int64_t features = shape_.back();
  append({.name = name,
          .tensors = {{name + ".weight", {features}}, {name + ".bias", {features}}},
          .forward_flop = kFlopPerNormalisedElement * elements(),
          .activation_bytes = bytes(Output::kKept)},
         shape_);
}

void VariantBuilder::linear(const std::string& name, std::int64_t features, Output output) {
  const std::int64_t in_features = shape_.back();
  Layer layer{
      .name = name,
      .tensors = {{name + ".weight", {features, in_features}}, {name + ".bias", {features}}},
      .forward_flop = kFlopPerMultiplyAdd * elements() * features};
  shape_.back() = features;
  layer.activation_bytes = bytes(output);
  append(std::move(layer), shape_);
}

void VariantBuilder::classifier(const std::string& name) {
  if (shape_.size() != 1) throw std::logic_error(name + " needs [features]");
  const std::int64_t in_features = shape_[0];
  append({.name = name,
          .tensors = {{name + ".weight", {kClasses, in_features}}, {name + ".bias", {kClasses}}},
          .forward_flop_per_class = kFlopPerMultiplyAdd * in_features,
          .activation_bytes_per_class = kFloatBytes},
         {kClasses});
}

void VariantBuilder::in_place(const std::string& name) { pointwise(name, Output::kFreed); }

void VariantBuilder::pointwise(const std::string& name, Output output) {
  append(
      {.name = name, .tensors = {}, .forward_flop = elements(), .activation_bytes = bytes(output)},
      shape_);
}

void VariantBuilder::add(const std::string& name, Output output) { pointwise(name, output); }

void VariantBuilder::concatenate(const std::string& name, std::int64_t channels, Output output) {
  require_map(name);
  shape_[0] = channels;
  append({.name = name, .tensors = {}, .activation_bytes = bytes(output)}, shape_);
}

void VariantBuilder::pool(const std::string& name, const Window& window, Output output) {
  require_map(name);
  shape_[1] = windowed(shape_[1], window.kernel, window.stride, window.padding);
  shape_[2] = windowed(shape_[2], window.kernel, window.stride, window.padding);
  append({.name = name,
          .tensors = {},
          .forward_flop = elements() * window.kernel * window.kernel,
          .activation_bytes = bytes(output)},
         shape_);
}

void VariantBuilder::adaptive_average_pool(const std::string& name, std::int64_t size) {
  require_map(name);
  // Window i of n covers [floor(i * extent / n), ceil((i + 1) * extent / n)).
  std::int64_t covered_rows = 0;
  std::int64_t covered_columns = 0;
  for (std::int64_t i = 0; i < size; ++i) {
    covered_rows += ((i + 1) * shape_[1] + size - 1) / size - i * shape_[1] / size;
    covered_columns += ((i + 1) * shape_[2] + size - 1) / size - i * shape_[2] / size;
  }
  const std::int64_t flop = shape_[0] * covered_rows * covered_columns;
  shape_ = {shape_[0], size, size};
  append(
      {.name = name, .tensors = {}, .forward_flop = flop, .activation_bytes = bytes(Output::kKept)},
      shape_);
}

void VariantBuilder::global_average_pool(const std::string& name) {
  adaptive_average_pool(name, 1);
  flatten();
}

void VariantBuilder::flatten() { shape_ = {elements()}; }

void VariantBuilder::attention(const std::string& name, std::int64_t heads, bool dropout) {
  if (shape_.size() != 2) throw std::logic_error(name + " needs [tokens, features]");
  const Shape tokens_by_features = shape_;
  const std::int64_t product_flop = kFlopPerMultiplyAdd * shape_[0] * elements();
  const Shape scores = {heads, shape_[0], shape_[0]};
  append({.name = name + ".query_key", .tensors = {}, .forward_flop = product_flop}, scores);
  append({.name = name + ".softmax",
          .tensors = {},
          .forward_flop = kFlopPerSoftmaxElement * elements(),
          .activation_bytes = bytes(Output::kKept)},
         scores);
  if (dropout) pointwise(name + ".dropout");
  set_shape(tokens_by_features);
  append({.name = name + ".weighted_values",
          .tensors = {},
          .forward_flop = product_flop,
          .activation_bytes = bytes(Output::kKept)},
         tokens_by_features);
}

}  // namespace epochcast::describe
