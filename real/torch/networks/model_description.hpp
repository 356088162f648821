// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/formats/network_file.hpp"
#include "real/torch/networks/task.hpp"

// Free of LibTorch headers.

namespace epochcast::real {

/// Operations of one name without a cost rule.
struct UnknownOperation {
  std::string name;  ///< "aten::cumsum"
  std::int64_t calls = 0;
  std::int64_t elements = 0;  ///< that they compute for one sample
};

/// The description of a model file, found by running samples.
struct ModelDescription {
  /// For `simulate`: its layers in backward order, for samples of the one shape.
  NetworkFile file;
  std::int64_t multiply_adds = 0;  ///< of products and convolutions, for one sample
  double forward_flops = 0;        ///< all of them, for that sample
  double other_forward_flops = 0;  ///< of another sample: the same, unless the model branches
  std::vector<UnknownOperation> unknown;
};

/// Runs a random sample through the model in `file` (ScriptedNetwork; two samples if it needs more
/// than one) and adds up the costs of its operations, by the rules of operation_cost().
///
/// A layer is the operations that use the same module's parameters, and those without parameters
/// after them; operations before the first layer are called "input". Layers are in the order in
/// which backward finishes them: the first use counts for layers used several times, and parameters
/// that no operation uses come last. Throws a UserError as ScriptedNetwork does, and if the
/// samples' shape is missing; the task's loss is ignored.
[[nodiscard]] ModelDescription describe_model(const std::string& file, Task task);

}  // namespace epochcast::real
