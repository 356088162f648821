// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/layer_record.hpp"

#include <ATen/record_function.h>

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "real/torch/networks/operation_cost.hpp"
#include "real/torch/networks/torch_network.hpp"

namespace epochcast::real {
namespace {

/// Follows a forward pass through the operations of this thread.
class Recorder {
 public:
  explicit Recorder(const TorchNetwork& network);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  torch::Tensor name(const torch::nn::Module& owner, std::string_view name, torch::Tensor output);
  /// The layers, once `results` have left the last of them.
  std::vector<LayerRecord> finish(const std::vector<torch::Tensor>& results);

  static thread_local Recorder* current;

 private:
  using Place = const c10::StorageImpl*;

  /// The result of an operation: its output, all views and copies of it, and in-place results.
  struct Value {
    std::string operation;
    std::optional<std::size_t> layer = {};
    std::int64_t bytes = 0;
    bool is_read = false;
  };

  /// The operations that belong to no layer yet.
  struct Unnamed {
    std::vector<std::string> operations;
    std::vector<std::size_t> values;
    LayerRecord sums;
    bool returns_input = false;  ///< the last one: its output is its input
  };

  static Place place(const torch::Tensor& tensor) {
    return tensor.storage().unsafeGetStorageImpl();
  }
  static std::unique_ptr<at::ObserverContext> on_start(const at::RecordFunction& function);
  static void on_end(const at::RecordFunction& function, at::ObserverContext* context);

  void follow(const OperationCall& call);
  /// The layer whose parameter is among the inputs, if one is.
  std::optional<std::size_t> layer_with_parameter(const std::vector<torch::Tensor>& inputs);
  /// The layer of these parameters, a new one unless it is the last; none if they are used again by
  /// another layer (shared parameters).
  std::optional<std::size_t> layer_of_parameters(const std::string& name);
  /// Throws if operations that compute something have no name, and drops the others.
  void require_names();
  /// Takes the outputs for the same value as the first input that is one.
  void move(const std::vector<torch::Tensor>& inputs, const std::vector<torch::Tensor>& outputs);
  void add_value(const torch::Tensor& output, Value value);
  /// Adds the cost of the current call.
  void add(LayerRecord& layer, const OperationCost& cost) const;
  void read(const torch::Tensor& tensor);

  std::map<const torch::nn::Module*, std::string> modules_;
  std::map<Place, std::string> parameters_;                   ///< the layers' names
  std::vector<std::pair<std::string, std::string>> tensors_;  ///< layer and parameter
  std::vector<LayerRecord> layers_;
  std::vector<Value> values_;
  std::map<Place, std::size_t> value_at_;
  std::vector<torch::Tensor> alive_;  ///< so no address is reused
  Unnamed unnamed_;
  OperationCall call_;
  int depth_ = 0;
  std::exception_ptr problem_;  ///< LibTorch ignores exceptions of callbacks
  at::CallbackHandle handle_;
};

thread_local Recorder* Recorder::current = nullptr;

Recorder::Recorder(const TorchNetwork& network) {
  for (const auto& module : network.named_modules()) modules_[module.value().get()] = module.key();
  for (const auto& parameter : network.named_parameters()) {
    const std::string layer = parameter.key().substr(0, parameter.key().rfind('.'));
    parameters_[place(parameter.value())] = layer;
    tensors_.emplace_back(layer, parameter.key());
  }
  handle_ = at::addThreadLocalCallback(at::RecordFunctionCallback(on_start, on_end)
                                           .needsInputs(true)
                                           .needsOutputs(true)
                                           .scopes({at::RecordScope::FUNCTION}));
  current = this;
}

Recorder::~Recorder() {
  current = nullptr;
  at::removeCallback(handle_);
}

// Nested operations are part of the outer one, and do not count.
std::unique_ptr<at::ObserverContext> Recorder::on_start(const at::RecordFunction& function) {
  const auto inputs = function.inputs();
  if (current->depth_++ == 0) current->call_.inputs.assign(inputs.begin(), inputs.end());
  return nullptr;
}

void Recorder::on_end(const at::RecordFunction& function, at::ObserverContext* /*context*/) {
  if (--current->depth_ > 0 || current->problem_) return;
  current->call_.name = function.name();
  current->call_.outputs = function.outputs();
  try {
    current->follow(current->call_);
  } catch (...) {
    current->problem_ = std::current_exception();
  }
}

void Recorder::follow(const OperationCall& call) {
  const std::vector<torch::Tensor> outputs = float_tensors(call.outputs);
  if (outputs.empty()) return;  // token numbers, masks, counters
  const OperationCost cost = operation_cost(call);
  const std::vector<torch::Tensor> inputs = float_tensors(call.inputs);
  const std::size_t layers_before = layers_.size();
  const std::optional<std::size_t> layer = layer_with_parameter(inputs);
  if (cost.moves) {
    move(inputs, outputs);
    return;
  }
  if (layer) {
    // An addition to a layer's own product is its bias.
    const bool adds_bias =
        layers_.size() == layers_before && (call.name == "aten::add" || call.name == "aten::add_");
    if (!adds_bias) add(layers_[*layer], cost);
    layers_[*layer].activation_bytes += cost.kept_inside_bytes;
  } else {
    const bool is_in_place = value_at_.count(place(outputs.front())) > 0;
    unnamed_.operations.push_back(call.name);
    add(unnamed_.sums, cost);
    unnamed_.returns_input = is_in_place && call.name.back() != '_';
  }
  for (const torch::Tensor& output : outputs) {
    if (value_at_.count(place(output)) > 0) continue;
    add_value(output, {.operation = call.name, .layer = layer});
    if (!layer) unnamed_.values.push_back(values_.size() - 1);
  }
  for (const torch::Tensor& tensor : cost.read) read(tensor);
}

std::optional<std::size_t> Recorder::layer_with_parameter(
    const std::vector<torch::Tensor>& inputs) {
  for (const torch::Tensor& input : inputs) {
    const auto parameter = parameters_.find(place(input));
    if (parameter != parameters_.end()) return layer_of_parameters(parameter->second);
  }
  return std::nullopt;
}

void Recorder::move(const std::vector<torch::Tensor>& inputs,
                    const std::vector<torch::Tensor>& outputs) {
  for (const torch::Tensor& input : inputs) {
    const auto source = value_at_.find(place(input));
    if (source == value_at_.end()) continue;
    for (const torch::Tensor& output : outputs) {
      if (value_at_.emplace(place(output), source->second).second) alive_.push_back(output);
    }
    return;
  }
}

std::optional<std::size_t> Recorder::layer_of_parameters(const std::string& name) {
  if (!layers_.empty() && layers_.back().name == name) return layers_.size() - 1;
  const auto is_passed = [&](const LayerRecord& layer) { return layer.name == name; };
  if (std::any_of(layers_.begin(), layers_.end(), is_passed)) return std::nullopt;
  require_names();
  layers_.push_back({.name = name});
  for (const auto& [layer, tensor] : tensors_) {
    if (layer == name) layers_.back().tensors.push_back(tensor);
  }
  return layers_.size() - 1;
}

void Recorder::require_names() {
  if (unnamed_.sums.forward_flop > 0) {
    const std::string behind = layers_.empty() ? "the input" : layers_.back().name;
    throw std::logic_error(unnamed_.operations.back() + " behind " + behind + " is not named()");
  }
  unnamed_ = {};
}

void Recorder::add_value(const torch::Tensor& output, Value value) {
  value.bytes = call_.elements(output) * static_cast<std::int64_t>(output.element_size());
  value_at_[place(output)] = values_.size();
  values_.push_back(std::move(value));
  alive_.push_back(output);
}

void Recorder::add(LayerRecord& layer, const OperationCost& cost) const {
  layer.forward_flop += cost.forward_flop;
  layer.multiply_adds += cost.multiply_adds;
  layer.moved_bytes += cost.kept_inside_bytes + call_.moved_bytes([&](const torch::Tensor& tensor) {
    return parameters_.count(place(tensor)) > 0;
  });
  ++layer.operations;
}

void Recorder::read(const torch::Tensor& tensor) {
  // Samples, constants and parameters are no recorded values.
  const auto found = value_at_.find(place(tensor));
  if (found != value_at_.end()) values_[found->second].is_read = true;
}

torch::Tensor Recorder::name(const torch::nn::Module& owner,
                             std::string_view name,
                             torch::Tensor output) {
  if (unnamed_.operations.empty()) return output;
  const std::string& module = modules_.at(&owner);
  LayerRecord layer = std::move(unnamed_.sums);
  layer.name = module + (module.empty() || name.empty() ? "" : ".") + std::string(name);
  if (unnamed_.returns_input) {
    // Dropout returns an empty batch itself; one with samples would be a new tensor.
    const at::DisableRecordFunctionGuard unrecorded;
    output = torch::empty_like(output).requires_grad_(output.requires_grad());
    unnamed_.values.push_back(values_.size());
    add_value(output, {.operation = unnamed_.operations.back()});
  }
  for (const std::size_t value : unnamed_.values) values_[value].layer = layers_.size();
  layers_.push_back(std::move(layer));
  unnamed_ = {};
  return output;
}

std::vector<LayerRecord> Recorder::finish(const std::vector<torch::Tensor>& results) {
  if (problem_) std::rethrow_exception(problem_);
  require_names();
  for (const auto& [layer, tensor] : tensors_) {
    const auto has_tensor = [&, name = layer](const LayerRecord& each) {
      return each.name == name;
    };
    if (std::none_of(layers_.begin(), layers_.end(), has_tensor)) {
      throw std::logic_error("no sample passes " + tensor);
    }
  }
  for (const torch::Tensor& result : results) read(result);  // read by the loss
  for (const Value& value : values_) {
    if (!value.is_read) continue;
    if (!value.layer) {
      throw std::logic_error(value.operation + ", whose output backward reads, is not named()");
    }
    layers_[*value.layer].activation_bytes += value.bytes;
  }
  return layers_;
}

}  // namespace

std::vector<LayerRecord> record_layers(TorchNetwork& network, std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> no_samples = {0};
  no_samples.insert(no_samples.end(), shape.begin(), shape.end());
  const torch::Tensor samples = torch::zeros(no_samples);
  Recorder recorder(network);
  return recorder.finish(network.pass_all_layers(samples));
}

torch::Tensor named(const torch::nn::Module& owner, std::string_view name, torch::Tensor output) {
  if (Recorder::current == nullptr) return output;
  return Recorder::current->name(owner, name, std::move(output));
}

}  // namespace epochcast::real
