// SPDX-License-Identifier: Apache-2.0
#include "real/torch/optimizers/adabelief.hpp"

#include <cmath>

namespace epochcast::real {

AdaBelief::AdaBelief(const OptimizerSettings& settings, const torch::Tensor& parameters)
    : TensorOptimizer(settings, parameters),
      mean_(add_state("mean", 0)),
      variance_(add_state("variance", 0)),
      work_(scratch()) {}

void AdaBelief::update(torch::Tensor& parameters,
                       const torch::Tensor& gradient,
                       std::int64_t step,
                       double learning_rate) {
  constexpr double kBeta1 = 0.9;
  constexpr double kBeta2 = 0.999;
  constexpr double kEpsilon = 1e-8;
  const double mean_weight = 1 - std::pow(kBeta1, static_cast<double>(step));
  const double variance_weight = 1 - std::pow(kBeta2, static_cast<double>(step));

  mean_.mul_(kBeta1).add_(gradient, 1 - kBeta1);
  torch::sub_out(work_, gradient, mean_);
  variance_.mul_(kBeta2).addcmul_(work_, work_, 1 - kBeta2).add_(kEpsilon);
  torch::sqrt_out(work_, variance_).mul_(1 / std::sqrt(variance_weight)).add_(kEpsilon);
  parameters.addcdiv_(mean_, work_, -learning_rate / mean_weight);
}

}  // namespace epochcast::real
