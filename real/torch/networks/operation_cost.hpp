// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <string>
#include <vector>

namespace epochcast::real {

/// A call of one of LibTorch's operations, as its profiler sees it.
struct OperationCall {
  std::string name;  ///< "aten::conv2d"
  std::vector<torch::IValue> inputs;
  std::vector<torch::IValue> outputs;
};

/// What an operation does with one sample.
struct OperationCost {
  std::int64_t forward_flop = 0;
  /// Of what the operation keeps for backward beside its inputs and outputs.
  std::int64_t kept_inside_bytes = 0;
  std::vector<torch::Tensor> read = {};  ///< the inputs and outputs that its backward pass reads
  /// The output is nothing new: a view or a copy of the input, or of a part of it.
  bool moves = false;
};

/// The operation's cost. The batch is the one extent that is 0, wherever it is: it does not count.
///
/// Counting rules, the same for every network:
/// - Convolutions, linear layers and matrix products: 2 flop per multiply-add, padding included,
///   bias additions left out. Batch norm and layer norm: 4 per element (mean, variance, normalise,
///   scale and shift, as in training). Softmax: 5 per element. Any other function of one element,
///   and an addition: 1 per element. Pooling: 1 per element of each window. Moving, choosing or
///   scaling elements by a number: none.
/// - What backward reads is what the formulas of PyTorch's derivatives.yaml do. The indices of
///   max-pooling, dropout masks, means and deviations and the workspace of a library do not count.
///
/// Throws std::logic_error for an operation without a rule.
[[nodiscard]] OperationCost operation_cost(const OperationCall& call);

/// The elements of a tensor that one sample has; see operation_cost().
[[nodiscard]] std::int64_t elements_per_sample(const torch::Tensor& tensor);

}  // namespace epochcast::real
