// SPDX-License-Identifier: Apache-2.0
#include "real/torch/optimizers/tensor_optimizer.hpp"

#include <utility>

#include "real/torch/optimizers/optimizer_archive.hpp"

namespace epochcast::real {

TensorOptimizer::TensorOptimizer(const OptimizerSettings& settings, torch::Tensor parameters)
    : settings_(settings), parameters_(std::move(parameters)) {
  if (settings_.weight_decay != 0) decayed_gradient_ = scratch();
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
  if (settings_.weight_decay != 0) {
    gradient = torch::add_out(decayed_gradient_, gradient, parameters_, settings_.weight_decay);
  }
  update(parameters_, gradient, ++steps_, learning_rate);
}

void TensorOptimizer::save(torch::serialize::OutputArchive& archive) const {
  write_origin({.name = settings_.name, .parameters = parameters_.numel()}, archive);
  archive.write("steps", torch::IValue(steps_));
  for (const State& state : states_) archive.write(state.key, state.tensor, /*is_buffer=*/true);
}

void TensorOptimizer::load(torch::serialize::InputArchive& archive) {
  const torch::NoGradGuard no_grad;
  check_origin({.name = settings_.name, .parameters = parameters_.numel()}, archive);
  torch::IValue steps;
  archive.read("steps", steps);
  steps_ = steps.toInt();
  for (State& state : states_) {
    torch::Tensor saved;
    archive.read(state.key, saved, /*is_buffer=*/true);
    state.tensor.copy_(saved);  // onto the parameters' device, wherever it was saved
  }
}

}  // namespace epochcast::real
