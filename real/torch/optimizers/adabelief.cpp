// SPDX-License-Identifier: Apache-2.0
#include "real/torch/optimizers/adabelief.hpp"

#include <cmath>

namespace epochcast::real {

AdaBelief::AdaBelief(const OptimizerSettings& settings, const torch::Tensor& parameters)
    : TensorOptimizer(settings, parameters),
      beta1_(*settings.beta1),
      beta2_(*settings.beta2),
      epsilon_(*settings.epsilon),
      mean_(add_state("mean", 0)),
      variance_(add_state("variance", 0)),
      work_(scratch()) {}

void AdaBelief::update(torch::Tensor& parameters,
                       const torch::Tensor& gradient,
                       std::int64_t step,
                       double learning_rate) {
  const double mean_weight = 1 - std::pow(beta1_, static_cast<double>(step));
  const double variance_weight = 1 - std::pow(beta2_, static_cast<double>(step));

  mean_.mul_(beta1_).add_(gradient, 1 - beta1_);
  torch::sub_out(work_, gradient, mean_);
  variance_.mul_(beta2_).addcmul_(work_, work_, 1 - beta2_).add_(epsilon_);
  torch::sqrt_out(work_, variance_).mul_(1 / std::sqrt(variance_weight)).add_(epsilon_);
  parameters.addcdiv_(mean_, work_, -learning_rate / mean_weight);
}

}  // namespace epochcast::real
