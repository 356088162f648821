// SPDX-License-Identifier: Apache-2.0
#include "real/torch/optimizers/angular_grad.hpp"

#include <cmath>
#include <limits>

namespace epochcast::real {

AngularGrad::AngularGrad(const OptimizerSettings& settings, const torch::Tensor& parameters)
    : TensorOptimizer(settings, parameters),
      beta1_(*settings.beta1),
      beta2_(*settings.beta2),
      epsilon_(*settings.epsilon),
      first_moment_(add_state("first_moment", 0)),
      second_moment_(add_state("second_moment", 0)),
      previous_gradient_(add_state("previous_gradient", 0)),
      least_tangent_(add_state("least_tangent", std::numeric_limits<double>::infinity())),
      numerator_(scratch()),
      denominator_(scratch()) {}

void AngularGrad::update(torch::Tensor& parameters,
                         const torch::Tensor& gradient,
                         std::int64_t step,
                         double learning_rate) {
  const double first_weight = 1 - std::pow(beta1_, static_cast<double>(step));
  const double second_weight = 1 - std::pow(beta2_, static_cast<double>(step));

  // The tangent grows with the angle, so its minimum is at the angle's minimum.
  torch::sub_out(numerator_, previous_gradient_, gradient);
  torch::mul_out(denominator_, previous_gradient_, gradient).add_(1);
  numerator_.div_(denominator_).abs_();
  torch::minimum_out(least_tangent_, least_tangent_, numerator_);
  previous_gradient_.copy_(gradient);

  first_moment_.mul_(beta1_).add_(gradient, 1 - beta1_);
  second_moment_.mul_(beta2_).addcmul_(gradient, gradient, 1 - beta2_);

  // cos a = 1 / sqrt(1 + tan^2 a)
  torch::mul_out(numerator_, least_tangent_, least_tangent_).add_(1).rsqrt_();
  numerator_.tanh_().mul_(0.5).add_(0.5).mul_(first_moment_);
  torch::sqrt_out(denominator_, second_moment_).mul_(1 / std::sqrt(second_weight)).add_(epsilon_);
  parameters.addcdiv_(numerator_, denominator_, -learning_rate / first_weight);
}

}  // namespace epochcast::real
