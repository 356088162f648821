// SPDX-License-Identifier: Apache-2.0
#include "real/torch/optimizers/library_optimizer.hpp"

#include <algorithm>
#include <utility>

#include "real/torch/optimizers/optimizer_archive.hpp"

namespace epochcast::real {

std::vector<torch::Tensor> LibraryOptimizer::pieces(const torch::Tensor& parameters) {
  constexpr std::int64_t kPiece =
      std::int64_t{32} * 1024;  // times some tensors of float32: half a MiB
  const std::int64_t count = parameters.numel();
  const std::int64_t length = parameters.is_cpu() ? kPiece : count;
  const torch::Tensor values = parameters.detach();
  std::vector<torch::Tensor> pieces;
  for (std::int64_t at = 0; at < count; at += length)
    pieces.push_back(values.narrow(0, at, std::min(length, count - at)).requires_grad_());
  return pieces;
}

LibraryOptimizer::LibraryOptimizer(std::string name,
                                   torch::Tensor parameters,
                                   std::unique_ptr<torch::optim::Optimizer> optimizer)
    : name_(std::move(name)),
      parameters_(std::move(parameters)),
      optimizer_(std::move(optimizer)) {}

void LibraryOptimizer::cut_gradient() {
  const torch::Tensor& gradient = parameters_.grad();
  if (cut_ == gradient.data_ptr()) return;
  std::int64_t at = 0;
  for (torch::Tensor& piece : optimizer_->param_groups().front().params()) {
    piece.mutable_grad() = gradient.narrow(0, at, piece.numel());
    at += piece.numel();
  }
  cut_ = gradient.data_ptr();  // the pieces keep a reference to its memory
}

void LibraryOptimizer::step(double learning_rate) {
  cut_gradient();
  optimizer_->param_groups().front().options().set_lr(learning_rate);
  optimizer_->step();
}

void LibraryOptimizer::save(torch::serialize::OutputArchive& archive) const {
  write_origin({.name = name_, .parameters = parameters_.numel()}, archive);
  optimizer_->save(archive);
}

void LibraryOptimizer::load(torch::serialize::InputArchive& archive) {
  check_origin({.name = name_, .parameters = parameters_.numel()}, archive);
  optimizer_->state().clear();  // a state saved before the first step is empty
  optimizer_->load(archive);
  // Whether options are loaded, too, depends on LibTorch's version.
  optimizer_->param_groups().front().set_options(optimizer_->defaults().clone());
}

}  // namespace epochcast::real
