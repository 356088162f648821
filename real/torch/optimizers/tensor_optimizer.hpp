// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <string>
#include <vector>

#include "real/torch/optimizers/flat_optimizer.hpp"

namespace epochcast::real {

/// An optimizer whose state is the number of steps so far and tensors shaped like the parameters.
///
/// Contract: all tensors are on the parameters' device and keep their storage; the gradient is
/// read only.
class TensorOptimizer : public FlatOptimizer {
 public:
  void step(double learning_rate) final;
  void save(torch::serialize::OutputArchive& archive) const final;
  void load(torch::serialize::InputArchive& archive) final;

 protected:
  /// `settings`: with_defaults(). Weight decay times the parameters is added to each gradient, or,
  /// decoupled, taken off the parameters times the learning rate before the step (Loshchilov and
  /// Hutter, ICLR 2019, algorithm 2, with the learning rate for the schedule multiplier).
  TensorOptimizer(OptimizerSettings settings, torch::Tensor parameters);

  /// A new tensor of state, saved under `key`.
  torch::Tensor add_state(const std::string& key, double initial);
  /// A new tensor that is not saved: space for one step's intermediate results.
  [[nodiscard]] torch::Tensor scratch() const;

 private:
  /// Step number `step` (from 1) of `parameters`; called without gradient recording.
  virtual void update(torch::Tensor& parameters,
                      const torch::Tensor& gradient,
                      std::int64_t step,
                      double learning_rate) = 0;

  struct State {
    std::string key;
    torch::Tensor tensor;
  };

  std::string name_;
  double weight_decay_;
  bool is_decay_decoupled_;
  torch::Tensor parameters_;
  torch::Tensor decayed_gradient_;  // undefined without an L2 term
  std::vector<State> states_;
  std::int64_t steps_ = 0;
};

}  // namespace epochcast::real
