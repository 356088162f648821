// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "real/torch/optimizers/flat_optimizer.hpp"

namespace epochcast::real {

/// A new tensor with these values, to be trained.
inline torch::Tensor leaf(const torch::Tensor& values) {
  return values.clone().set_requires_grad(true);
}

inline void step(FlatOptimizer& optimizer,
                 torch::Tensor& parameters,
                 const torch::Tensor& gradient,
                 double learning_rate) {
  parameters.mutable_grad() = gradient;
  optimizer.step(learning_rate);
}

}  // namespace epochcast::real
