// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/operation_meter.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/formats/network.hpp"

namespace epochcast::real {
namespace {

constexpr const char* kInputLayer = "input";

/// The operation's own values: TorchScript's interpreter passes those of other operations before
/// them.
template <typename Values>
std::vector<torch::IValue> last(const Values& values, std::size_t count) {
  const std::size_t first = values.size() - std::min(count, values.size());
  return std::vector<torch::IValue>(values.begin() + first, values.end());
}

}  // namespace

Meter* Meter::current = nullptr;
thread_local Meter::Stack Meter::stack;

Meter::Meter(ScriptedNetwork& network, std::int64_t samples)
    : network_(network), samples_(samples) {
  for (const auto& parameter : network.named_parameters()) {
    const std::size_t dot = parameter.key().rfind('.');
    layer_of_parameter_[place(parameter.value())] =
        dot == std::string::npos ? parameter.key() : parameter.key().substr(0, dot);
  }
  handle_ = at::addThreadLocalCallback(at::RecordFunctionCallback(on_start, on_end)
                                           .needsInputs(true)
                                           .needsOutputs(true)
                                           .scopes({at::RecordScope::FUNCTION}));
  stack = {};
  current = this;
}

Meter::~Meter() {
  current = nullptr;
  at::removeCallback(handle_);
}

// An operation with a rule includes its nested ones. One without a rule counts as its nested ones,
// if these compute anything.
std::unique_ptr<at::ObserverContext> Meter::on_start(const at::RecordFunction& function) {
  if (stack.counted > 0) {
    ++stack.counted;
    return nullptr;
  }
  stack.open.push_back({.inputs = last(function.inputs(), function.num_inputs())});
  if (has_operation_cost(function.name())) stack.counted = 1;
  return nullptr;
}

void Meter::on_end(const at::RecordFunction& function, at::ObserverContext* /*context*/) {
  if (stack.counted > 0 && --stack.counted > 0) return;
  const Open ended = std::move(stack.open.back());
  stack.open.pop_back();
  if (ended.is_counted || current == nullptr) return;
  const std::lock_guard<std::mutex> lock(current->mutex_);
  current->call_ = {.name = function.name(),
                    .inputs = ended.inputs,
                    .outputs = last(function.outputs(), function.num_outputs()),
                    .samples = current->samples_};
  if (!current->count(current->call_)) return;
  for (Open& around : stack.open) around.is_counted = true;
}

bool Meter::count(const OperationCall& call) {
  const std::vector<torch::Tensor> outputs = float_tensors(call.outputs);
  const std::vector<torch::Tensor> inputs = float_tensors(call.inputs);
  // Token numbers, masks and shapes; constants.
  if (outputs.empty() || inputs.empty()) return false;
  // A view of an existing value costs nothing, whatever its name.
  const bool is_in_place = call.name.back() == '_';
  if (!is_in_place && place(outputs.front()) == place(inputs.front())) return false;
  OperationCost cost;
  bool is_known = has_operation_cost(call.name);
  try {
    if (is_known) cost = operation_cost(call);
  } catch (const std::exception&) {
    is_known = false;  // arguments not covered by the rule
  }
  if (cost.moves) {
    move(inputs.front(), outputs);
    return false;
  }
  const std::optional<std::size_t> layer_before = current_layer_;
  const std::size_t layer = layer_of(inputs);
  if (!is_known) {
    UnknownOperation& unknown = unknown_[call.name];
    unknown.name = call.name;
    ++unknown.calls;
    for (const torch::Tensor& output : outputs) unknown.elements += call.elements(output);
    cost.read = outputs;
  }
  // An addition to a layer's own product is its bias.
  const bool has_own = layer_of_parameter_.count(place(inputs.back())) > 0;
  const bool adds_bias = has_own && layer == layer_before && layers_[layer].multiply_adds > 0 &&
                         (call.name == "aten::add" || call.name == "aten::add_");
  LayerSum& sum = layers_[layer];
  if (!adds_bias) {
    sum.forward_flop += cost.forward_flop;
    sum.multiply_adds += cost.multiply_adds;
    sum.moved_bytes += cost.kept_inside_bytes + call.moved_bytes([&](const torch::Tensor& tensor) {
      return layer_of_parameter_.count(place(tensor)) > 0;
    });
    ++sum.operations;
  }
  sum.activation_bytes += cost.kept_inside_bytes;
  multiply_adds_ += cost.multiply_adds;
  for (const torch::Tensor& output : outputs) {
    if (value_at_.count(place(output)) == 0) add_value(output, layer);
  }
  for (const torch::Tensor& tensor : cost.read) read(tensor);
  return true;
}

void Meter::move(const torch::Tensor& input, const std::vector<torch::Tensor>& outputs) {
  const auto source = value_at_.find(place(input));
  if (source == value_at_.end()) return;
  for (const torch::Tensor& output : outputs) {
    if (value_at_.emplace(place(output), source->second).second)
      places_.push_back(output.storage().getWeakStorageImpl());
  }
}

std::size_t Meter::layer_named(const std::string& name) {
  for (std::size_t i = layers_.size(); i-- > 0;) {
    if (layers_[i].name == name) return i;
  }
  layers_.push_back({.name = name});
  return layers_.size() - 1;
}

std::size_t Meter::layer_of(const std::vector<torch::Tensor>& inputs) {
  for (const torch::Tensor& input : inputs) {
    const auto parameter = layer_of_parameter_.find(place(input));
    if (parameter == layer_of_parameter_.end()) continue;
    current_layer_ = layer_named(parameter->second);
    break;
  }
  if (!current_layer_) current_layer_ = layer_named(kInputLayer);
  return *current_layer_;
}

void Meter::add_value(const torch::Tensor& output, std::size_t layer) {
  value_at_[place(output)] = values_.size();
  values_.push_back(
      {.layer = layer,
       .bytes = call_.elements(output) * static_cast<std::int64_t>(output.element_size())});
  places_.push_back(output.storage().getWeakStorageImpl());
}

void Meter::read(const torch::Tensor& tensor) {
  const auto found = value_at_.find(place(tensor));
  if (found != value_at_.end()) values_[found->second].is_read = true;
}

void Meter::measure(const torch::Tensor& samples) {
  const std::vector<torch::Tensor> results = network_.pass_all_layers(samples);
  const bool has_rows = !network_.returns_loss() && results.front().dim() > 0;
  if (samples_ == 1 && has_rows && results.front().size(0) != 1)
    throw std::runtime_error("the model takes a batch of one sample for something else");
  for (const torch::Tensor& result : results) {
    if (result.has_storage()) read(result);  // read by the loss
  }
}

ModelDescription Meter::description() const {
  std::vector<LayerSum> sums = layers_;
  for (const Value& value : values_) {
    if (value.is_read) sums[value.layer].activation_bytes += value.bytes;
  }
  const auto parameters = network_.named_parameters();
  NetworkVariant variant;
  const auto add_layer = [&](const LayerSum& sum) {
    NetworkLayer layer = {
        .name = sum.name,
        .forward_flops = static_cast<double>(sum.forward_flop),
        .activation_bytes = static_cast<double>(sum.activation_bytes),
        .work = LayerWork{.product_flops = 2 * static_cast<double>(sum.multiply_adds),
                          .moved_bytes = static_cast<double>(sum.moved_bytes),
                          .operations = sum.operations}};
    for (const auto& parameter : parameters) {
      if (layer_of_parameter_.at(place(parameter.value())) == sum.name)
        layer.tensors.push_back(
            {.name = parameter.key(), .shape = parameter.value().sizes().vec()});
    }
    variant.layers.push_back(std::move(layer));
  };
  for (auto sum = sums.rbegin(); sum != sums.rend(); ++sum) add_layer(*sum);
  for (const auto& [parameter, name] : layer_of_parameter_) {
    const bool is_known = std::any_of(
        variant.layers.begin(), variant.layers.end(), [&, layer = name](const auto& each) {
          return each.name == layer;
        });
    if (!is_known) add_layer({.name = name});
  }
  for (const torch::Tensor& buffer : network_.buffers()) {
    if (is_averaged(buffer)) variant.buffers += buffer.numel();
  }
  ModelDescription description;
  description.multiply_adds = multiply_adds_;
  description.file.variants.push_back(std::move(variant));
  for (const auto& [name, unknown] : unknown_) description.unknown.push_back(unknown);
  return description;
}

}  // namespace epochcast::real
