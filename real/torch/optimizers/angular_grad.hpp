// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "real/torch/optimizers/tensor_optimizer.hpp"

namespace epochcast::real {

/// AngularGrad, cosine variant: Adam with shorter steps if successive gradients disagree.
///
/// Roy et al., "AngularGrad: A New Optimization Technique for Angular Convergence of Convolutional
/// Neural Networks", arXiv 2105.10190. Element by element, with g_0 = m_0 = v_0 = 0 and
/// a_0 = 90 degrees, step t does
///
///     angle_t = arctan |(g_(t-1) - g_t) / (1 + g_(t-1) g_t)|
///     a_t     = min(a_(t-1), angle_t)
///     phi_t   = tanh(|cos a_t|) / 2 + 1/2
///     m_t     = beta1 m_(t-1) + (1 - beta1) g_t
///     v_t     = beta2 v_(t-1) + (1 - beta2) g_t^2
///     m'_t    = m_t / (1 - beta1^t)
///     v'_t    = v_t / (1 - beta2^t)
///     p_t     = p_(t-1) - learning_rate phi_t m'_t / (sqrt(v'_t) + eps)
///
/// Weight decay is an L2 term in g_t. So phi_t lies from 0.5 to 0.881 and never falls.
///
/// Differs from the authors' program (github.com/mhaut/AngularGrad), which has the same angle and
/// phi, but starts the minimum at 0 degrees and replaces it for a whole tensor at once, when fewer
/// than half of the tensor's angles exceed it: unless most gradients are exactly 0, its phi stays
/// 0.5.
class AngularGrad final : public TensorOptimizer {
 public:
  /// `settings`: with_defaults().
  AngularGrad(const OptimizerSettings& settings, const torch::Tensor& parameters);

 private:
  void update(torch::Tensor& parameters,
              const torch::Tensor& gradient,
              std::int64_t step,
              double learning_rate) override;

  double beta1_;
  double beta2_;
  double epsilon_;
  torch::Tensor first_moment_;       // m
  torch::Tensor second_moment_;      // v
  torch::Tensor previous_gradient_;  // g_(t-1)
  torch::Tensor least_tangent_;      // tan a
  torch::Tensor numerator_;
  torch::Tensor denominator_;
};

}  // namespace epochcast::real
