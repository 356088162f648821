// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace epochcast {

/// The optimizer with its hyperparameters except the learning rate. Absent: the optimizer's
/// default.
struct OptimizerSettings {
  std::string name = "sgd";
  std::optional<double> momentum = {};       ///< of the steps
  std::optional<double> rms_decay = {};      ///< of the mean of squares: PyTorch's alpha
  std::optional<double> beta1 = {};          ///< decay of the mean of gradients
  std::optional<double> beta2 = {};          ///< decay of the mean of squares
  std::optional<double> epsilon = {};        ///< added to the denominator
  std::optional<double> weight_decay = {};   ///< L2 term of the gradient, unless it is decoupled
  std::optional<bool> decoupled_decay = {};  ///< parameters shrink by learning rate times decay
};

/// "sgd", "rmsprop", "adam", "adamw", "adabelief", "angulargrad".
[[nodiscard]] std::vector<std::string> optimizer_names();

/// The settings with every default of their optimizer. Hyperparameters that it lacks are unchanged.
/// An unknown optimizer has none.
///
/// Defaults are PyTorch's (torch.optim, 1.13), but for momentum, which is 0.9. AdaBelief has those
/// with which its authors train on CIFAR (arXiv 2010.07468; adabelief-pytorch 0.0.5); since 0.1.0,
/// their program has epsilon 1e-16, decoupled decay, and a rectification that is not here.
[[nodiscard]] OptimizerSettings with_defaults(OptimizerSettings settings);

/// Throws a UserError for every setting that the optimizer lacks, with the optimizers that have it.
/// Does not check an unknown optimizer.
void check_hyperparameters(const OptimizerSettings& settings);

}  // namespace epochcast
