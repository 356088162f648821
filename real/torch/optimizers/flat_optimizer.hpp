// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/torch.h>

#include <memory>
#include <string>
#include <vector>

#include "core/job/optimizer_settings.hpp"

namespace epochcast::real {

/// An optimizer over one flat tensor that holds every parameter of a network.
class FlatOptimizer {
 public:
  virtual ~FlatOptimizer() = default;

  /// Updates the parameters by their gradients (.grad of the flat tensor).
  virtual void step(double learning_rate) = 0;
  /// Everything that the next step depends on besides parameters and gradients.
  ///
  /// The archive refers to the state until it is written out: no step in between.
  virtual void save(torch::serialize::OutputArchive& archive) const = 0;
  /// Replaces the state by one that was saved. Throws a UserError when it is another optimizer's
  /// or of another number of parameters.
  virtual void load(torch::serialize::InputArchive& archive) = 0;
};

/// The optimizer for `parameters`, a flat float32 leaf tensor whose .grad is set before each step.
/// Ignores hyperparameters that the optimizer lacks; see check_hyperparameters(). Throws a
/// UserError with the closest name, or with every value that is out of range.
[[nodiscard]] std::unique_ptr<FlatOptimizer> make_optimizer(const OptimizerSettings& settings,
                                                            const torch::Tensor& parameters);

}  // namespace epochcast::real
