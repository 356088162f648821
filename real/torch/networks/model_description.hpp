// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/formats/network_file.hpp"
#include "real/torch/networks/task.hpp"

// Free of LibTorch headers.

namespace epochcast::real {

/// Operations of one name that nobody has told us the cost of.
struct UnknownOperation {
  std::string name;  ///< "aten::cumsum"
  std::int64_t calls = 0;
  std::int64_t elements = 0;  ///< that they compute for one sample
};

/// What a model file says of itself when samples are sent through it.
struct ModelDescription {
  /// For `simulate`: its layers in backward order, for samples of the one shape.
  NetworkFile file;
  std::int64_t multiply_adds = 0;  ///< of products and convolutions, for one sample
  double forward_flops = 0;        ///< all of them, for that sample
  double other_forward_flops = 0;  ///< of another one: the same, but where the model chooses
  std::vector<UnknownOperation> unknown;
};

/// Sends a random sample through the model in `file` (ScriptedNetwork; two, where it wants more
/// than one) and adds up what its operations cost, by the rules of operation_cost().
///
/// A layer is the operations that use the same module's parameters, and those without parameters
/// behind them; what comes before the first is called "input". Layers are in the order in which
/// backward is through with them: of those used several times the first use counts, parameters that
/// no operation uses come last. Throws a UserError as ScriptedNetwork does, and where the samples'
/// shape is missing; the task's loss does not matter.
[[nodiscard]] ModelDescription describe_model(const std::string& file, Task task);

}  // namespace epochcast::real
