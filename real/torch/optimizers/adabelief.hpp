// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "real/torch/optimizers/tensor_optimizer.hpp"

namespace epochcast::real {

/// AdaBelief: steps are long if gradients agree with their running mean.
///
/// Zhuang et al., "AdaBelief Optimizer: Adapting Stepsizes by the Belief in Observed Gradients",
/// NeurIPS 2020 (arXiv 2010.07468), algorithm 2. With m_0 = s_0 = 0, step t does
///
///     m_t = beta1 m_(t-1) + (1 - beta1) g_t
///     s_t = beta2 s_(t-1) + (1 - beta2) (g_t - m_t)^2 + eps
///     m'_t = m_t / (1 - beta1^t)
///     s'_t = s_t / (1 - beta2^t)
///     p_t = p_(t-1) - learning_rate m'_t / (sqrt(s'_t) + eps)
///
/// Weight decay, which the algorithm leaves open, is an L2 term in g_t, as the authors train on
/// CIFAR, or decoupled, as on ImageNet (their program's weight_decouple, with fixed_decay off).
class AdaBelief final : public TensorOptimizer {
 public:
  /// `settings`: with_defaults().
  AdaBelief(const OptimizerSettings& settings, const torch::Tensor& parameters);

 private:
  void update(torch::Tensor& parameters,
              const torch::Tensor& gradient,
              std::int64_t step,
              double learning_rate) override;

  double beta1_;
  double beta2_;
  double epsilon_;
  torch::Tensor mean_;      // m
  torch::Tensor variance_;  // s
  torch::Tensor work_;
};

}  // namespace epochcast::real
