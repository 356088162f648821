// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/record_function.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "real/torch/networks/model_description.hpp"
#include "real/torch/networks/operation_cost.hpp"
#include "real/torch/networks/scripted_network.hpp"

namespace epochcast::real {

/// Adds up the costs of a model's operations, in all threads that it forks.
class Meter {
 public:
  /// Starts measuring batches of so many samples; one meter at a time.
  Meter(ScriptedNetwork& network, std::int64_t samples);
  ~Meter();
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  /// Runs the samples through the network. Passes on its exceptions; throws if the output has
  /// several rows per sample.
  void measure(const torch::Tensor& samples);
  /// The cost of one sample; the file has no name, and its variant no shape.
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

  /// The result of an operation, and all views of it.
  struct Value {
    std::size_t layer = 0;
    std::int64_t bytes = 0;
    bool is_read = false;
  };

  /// An operation in progress.
  struct Open {
    std::vector<torch::IValue> inputs;
    bool is_counted = false;  ///< by its nested operations
  };

  /// The operations in progress of a thread.
  struct Stack {
    std::vector<Open> open;  ///< outermost first
    int counted = 0;         ///< depth inside of the last of these, which counts for all
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

  static Meter* current;
  static thread_local Stack stack;

  ScriptedNetwork& network_;
  std::int64_t samples_;
  std::map<Place, std::string> layer_of_parameter_;
  std::vector<LayerSum> layers_;
  std::optional<std::size_t> current_layer_;
  std::vector<Value> values_;
  std::map<Place, std::size_t> value_at_;
  /// Keeps addresses unique; the memory itself may be freed.
  std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>> places_;
  std::map<std::string, UnknownOperation> unknown_;
  std::int64_t multiply_adds_ = 0;
  OperationCall call_;
  std::mutex mutex_;
  at::CallbackHandle handle_;
};

}  // namespace epochcast::real
