// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace epochcast::real {

/// A call of one of LibTorch's operations, as recorded by its profiler.
struct OperationCall {
  std::string name;  ///< "aten::conv2d"
  std::vector<torch::IValue> inputs;
  std::vector<torch::IValue> outputs;
  std::int64_t samples = 0;  ///< in the batch

  /// The elements of a tensor per sample: in an empty batch, the product of the extents that are
  /// not 0; else its share of all elements.
  [[nodiscard]] std::int64_t elements(const torch::Tensor& tensor) const;

  /// Bytes of inputs and outputs for one sample, without parameters, for which `is_known` returns
  /// true.
  [[nodiscard]] std::int64_t moved_bytes(
      const std::function<bool(const torch::Tensor&)>& is_known) const;
};

/// The tensors of floating-point numbers among the values.
[[nodiscard]] std::vector<torch::Tensor> float_tensors(const std::vector<torch::IValue>& values);

/// The cost of an operation for one sample.
struct OperationCost {
  std::int64_t forward_flop = 0;
  std::int64_t multiply_adds = 0;  ///< of products and convolutions, part of the former
  /// Of values that the operation keeps for backward beside its inputs and outputs.
  std::int64_t kept_inside_bytes = 0;
  std::vector<torch::Tensor> read = {};  ///< the inputs and outputs that its backward pass reads
  /// The output is a view or a copy of the input, or of a part of it.
  bool moves = false;
};

/// The operation's cost for one sample.
///
/// Counting rules, the same for every network:
/// - Convolutions, linear layers and matrix products: 2 flop per multiply-add, padding included,
/// bias additions left out. Batch norm and layer norm: 4 per element (mean, variance, normalise,
/// scale and shift, as in training). Softmax: 5 per element. Any other function of one element, and
/// an addition: 1 per element. Pooling: 1 per element of each window; interpolation: a multiply-add
/// for each neighbour. Recurrent layers: their products, and the operations of their cells for each
/// unit and step. Moving, choosing or scaling elements by a number: none.
/// - Backward reads the tensors in the formulas of PyTorch's derivatives.yaml. The indices of
/// max-pooling, dropout masks, means and deviations and the workspace of a library do not count.
///
/// Throws std::logic_error for an operation without a rule.
[[nodiscard]] OperationCost operation_cost(const OperationCall& call);

/// Whether there is a rule for operations of this name.
[[nodiscard]] bool has_operation_cost(const std::string& name);

}  // namespace epochcast::real
