// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/model_description.hpp"

#include <ATen/record_function.h>
#include <torch/version.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/formats/network.hpp"
#include "real/torch/networks/operation_cost.hpp"
#include "real/torch/networks/scripted_network.hpp"

namespace epochcast::real {
namespace {

constexpr const char* kInputLayer = "input";

/// The operation's own values: TorchScript's interpreter shows those of other operations before
/// them.
template <typename Values>
std::vector<torch::IValue> last(const Values& values, std::size_t count) {
  const std::size_t first = values.size() - std::min(count, values.size());
  return std::vector<torch::IValue>(values.begin() + first, values.end());
}

/// Adds up what the operations of this thread cost, whoever has written the model.
class Meter {
 public:
  Meter(ScriptedNetwork& network, std::int64_t samples);
  ~Meter();
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  void measure(const torch::Tensor& samples);
  [[nodiscard]] ModelDescription description() const;

 private:
  struct LayerSum {
    std::string name;
    std::int64_t forward_flop = 0;
    std::int64_t multiply_adds = 0;
    std::int64_t moved_bytes = 0;
    std::int64_t operations = 0;
    std::int64_t activation_bytes = 0;
  };

  /// What one operation computed, and all views of it.
  struct Value {
    std::size_t layer = 0;
    std::int64_t bytes = 0;
    bool is_read = false;
  };

  /// An operation that has begun.
  struct Open {
    std::vector<torch::IValue> inputs;
    bool is_counted = false;  ///< by what it has called
  };

  using Place = const c10::StorageImpl*;
  static Place place(const torch::Tensor& tensor) {
    return tensor.storage().unsafeGetStorageImpl();
  }
  static std::unique_ptr<at::ObserverContext> on_start(const at::RecordFunction& function);
  static void on_end(const at::RecordFunction& function, at::ObserverContext* context);

  /// Whether the operation computes anything.
  bool count(const OperationCall& call);
  /// Takes the outputs for the same value as the input.
  void move(const torch::Tensor& input, const std::vector<torch::Tensor>& outputs);
  std::size_t layer_named(const std::string& name);
  /// The layer of the parameters among the inputs, else the one that computes now.
  std::size_t layer_of(const std::vector<torch::Tensor>& inputs);
  void add_value(const torch::Tensor& output, std::size_t layer);
  void read(const torch::Tensor& tensor);

  static thread_local Meter* current;

  ScriptedNetwork& network_;
  std::int64_t samples_;
  std::map<Place, std::string> layer_of_parameter_;
  std::vector<LayerSum> layers_;
  std::optional<std::size_t> current_layer_;
  std::vector<Value> values_;
  std::map<Place, std::size_t> value_at_;
  /// So that no place is taken twice; the memory itself is free to go.
  std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>> places_;
  std::map<std::string, UnknownOperation> unknown_;
  std::int64_t multiply_adds_ = 0;
  OperationCall call_;
  std::vector<Open> open_;  ///< the operations around this one, outermost first
  int counted_ = 0;         ///< how many are inside of the last of these, which counts for all
  at::CallbackHandle handle_;
};

thread_local Meter* Meter::current = nullptr;

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
  current = this;
}

Meter::~Meter() {
  current = nullptr;
  at::removeCallback(handle_);
}

// An operation with a rule counts with all that it calls. One without is what it calls, where that
// computes anything.
std::unique_ptr<at::ObserverContext> Meter::on_start(const at::RecordFunction& function) {
  Meter& self = *current;
  if (self.counted_ > 0) {
    ++self.counted_;
    return nullptr;
  }
  self.open_.push_back({.inputs = last(function.inputs(), function.num_inputs())});
  if (has_operation_cost(function.name())) self.counted_ = 1;
  return nullptr;
}

void Meter::on_end(const at::RecordFunction& function, at::ObserverContext* /*context*/) {
  Meter& self = *current;
  if (self.counted_ > 0 && --self.counted_ > 0) return;
  const Open ended = std::move(self.open_.back());
  self.open_.pop_back();
  if (ended.is_counted) return;
  self.call_ = {.name = function.name(),
                .inputs = ended.inputs,
                .outputs = last(function.outputs(), function.num_outputs()),
                .samples = self.samples_};
  if (!self.count(self.call_)) return;
  for (Open& around : self.open_) around.is_counted = true;
}

bool Meter::count(const OperationCall& call) {
  const std::vector<torch::Tensor> outputs = float_tensors(call.outputs);
  const std::vector<torch::Tensor> inputs = float_tensors(call.inputs);
  // Token numbers, masks and shapes; constants.
  if (outputs.empty() || inputs.empty()) return false;
  // A view of what there is costs nothing, whatever it is called.
  const bool is_in_place = call.name.back() == '_';
  if (!is_in_place && place(outputs.front()) == place(inputs.front())) return false;
  OperationCost cost;
  bool is_known = has_operation_cost(call.name);
  try {
    if (is_known) cost = operation_cost(call);
  } catch (const std::exception&) {
    is_known = false;  // called in a way that the rule does not know
  }
  if (cost.moves) {
    move(inputs.front(), outputs);
    return false;
  }
  const std::size_t layer = layer_of(inputs);
  if (!is_known) {
    UnknownOperation& unknown = unknown_[call.name];
    unknown.name = call.name;
    ++unknown.calls;
    for (const torch::Tensor& output : outputs) unknown.elements += call.elements(output);
    cost.read = outputs;
  }
  // What a layer adds to its own product is its bias.
  const bool has_own = layer_of_parameter_.count(place(inputs.back())) > 0;
  const bool adds_bias = has_own && (call.name == "aten::add" || call.name == "aten::add_");
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
  for (const torch::Tensor& result : network_.pass_all_layers(samples)) {
    if (result.has_storage()) read(result);  // by the loss
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
    if (buffer.is_floating_point()) variant.buffers += buffer.numel();
  }
  ModelDescription description;
  description.multiply_adds = multiply_adds_;
  description.file.variants.push_back(std::move(variant));
  for (const auto& [name, unknown] : unknown_) description.unknown.push_back(unknown);
  return description;
}

/// What one of so many samples costs.
ModelDescription described(ScriptedNetwork& network,
                           std::span<const std::int64_t> shape,
                           std::int64_t samples) {
  std::vector<std::int64_t> sizes = {samples};
  sizes.insert(sizes.end(), shape.begin(), shape.end());
  Meter meter(network, samples);
  meter.measure(torch::zeros(sizes));
  return meter.description();
}

}  // namespace

ModelDescription describe_model(const std::string& file, Task task) {
  task.loss.reset();
  const std::vector<std::int64_t>& shape = task.shape;
  ScriptedNetwork network(file, task);
  network.train();
  ModelDescription description = [&] {
    try {
      return described(network, shape, 1);
    } catch (const std::exception&) {
      return described(network, shape, 2);
    }
  }();
  const std::string name = network_name(file);
  description.file.name = name;
  description.file.title = name + ", as its model file says";
  description.file.source = {
      .grade = Grade::estimated,
      .method = "epochcast describe: a sample was sent through the model, and what LibTorch " +
                std::string(TORCH_VERSION) + " was asked to do was added up by operation"};
  description.file.variants.front().input = shape;
  return description;
}

}  // namespace epochcast::real
