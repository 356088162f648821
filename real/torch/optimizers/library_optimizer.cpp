// SPDX-License-Identifier: Apache-2.0
#include "real/torch/optimizers/library_optimizer.hpp"

#include <utility>

#include "real/torch/optimizers/optimizer_archive.hpp"

namespace epochcast::real {

LibraryOptimizer::LibraryOptimizer(std::string name,
                                   std::unique_ptr<torch::optim::Optimizer> optimizer)
    : name_(std::move(name)), optimizer_(std::move(optimizer)) {}

std::int64_t LibraryOptimizer::parameter_count() const {
  return optimizer_->param_groups().front().params().front().numel();
}

void LibraryOptimizer::step(double learning_rate) {
  optimizer_->param_groups().front().options().set_lr(learning_rate);
  optimizer_->step();
}

void LibraryOptimizer::save(torch::serialize::OutputArchive& archive) const {
  write_origin({.name = name_, .parameters = parameter_count()}, archive);
  optimizer_->save(archive);
}

void LibraryOptimizer::load(torch::serialize::InputArchive& archive) {
  check_origin({.name = name_, .parameters = parameter_count()}, archive);
  optimizer_->state().clear();  // a state saved before the first step holds nothing to replace it
  optimizer_->load(archive);
  // Whether options are loaded, too, depends on LibTorch's version.
  optimizer_->param_groups().front().set_options(optimizer_->defaults().clone());
}

}  // namespace epochcast::real
