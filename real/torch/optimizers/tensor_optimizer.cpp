// SPDX-License-Identifier: Apache-2.0
#include "real/torch/optimizers/tensor_optimizer.hpp"

#include <utility>

#include "real/torch/optimizers/optimizer_archive.hpp"

namespace epochcast::real {

TensorOptimizer::TensorOptimizer(OptimizerSettings settings, torch::Tensor parameters)
    : name_(std::move(settings.name)),
      weight_decay_(settings.weight_decay.value_or(0)),
      is_decay_decoupled_(settings.decoupled_decay.value_or(false)),
      parameters_(std::move(parameters)) {
  if (weight_decay_ != 0 && !is_decay_decoupled_) decayed_gradient_ = scratch();
}

torch::Tensor TensorOptimizer::add_state(const std::string& key, double initial) {
  const torch::NoGradGuard no_grad;
  states_.push_back({.key = key, .tensor = torch::full_like(parameters_, initial)});
  return states_.back().tensor;
}

torch::Tensor TensorOptimizer::scratch() const {
  const torch::NoGradGuard no_grad;
  return torch::empty_like(parameters_);
}

void TensorOptimizer::step(double learning_rate) {
  const torch::NoGradGuard no_grad;
  torch::Tensor gradient = parameters_.grad();
  if (decayed_gradient_.defined()) {
    gradient = torch::add_out(decayed_gradient_, gradient, parameters_, weight_decay_);
  } else if (weight_decay_ != 0) {
    parameters_.mul_(1 - learning_rate * weight_decay_);
  }
  update(parameters_, gradient, ++steps_, learning_rate);
}

void TensorOptimizer::save(torch::serialize::OutputArchive& archive) const {
  write_origin({.name = name_, .parameters = parameters_.numel()}, archive);
  archive.write("steps", torch::IValue(steps_));
  for (const State& state : states_) archive.write(state.key, state.tensor, /*is_buffer=*/true);
}

void TensorOptimizer::load(torch::serialize::InputArchive& archive) {
  const torch::NoGradGuard no_grad;
  check_origin({.name = name_, .parameters = parameters_.numel()}, archive);
  torch::IValue steps;
  archive.read("steps", steps);
  steps_ = steps.toInt();
  for (State& state : states_) {
    torch::Tensor saved;
    archive.read(state.key, saved, /*is_buffer=*/true);
    state.tensor.copy_(saved);  // onto the parameters' device
  }
}

}  // namespace epochcast::real
