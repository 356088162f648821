// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/torch.h>

#include <memory>
#include <string>
#include <vector>

#include "real/torch/optimizers/flat_optimizer.hpp"

namespace epochcast::real {

/// One of LibTorch's optimizers, over one group: the pieces of a flat tensor.
///
/// An update takes several passes over the parameters, their gradients and its state. On a CPU, a
/// piece of them stays in the core's cache from the first pass to the last.
class LibraryOptimizer final : public FlatOptimizer {
 public:
  /// Leaves that share memory with the flat tensor, in order, for the optimizer's constructor.
  [[nodiscard]] static std::vector<torch::Tensor> pieces(const torch::Tensor& parameters);

  /// `optimizer`: of pieces(parameters), in one group.
  LibraryOptimizer(std::string name,
                   torch::Tensor parameters,
                   std::unique_ptr<torch::optim::Optimizer> optimizer);

  void step(double learning_rate) override;
  void save(torch::serialize::OutputArchive& archive) const override;
  /// Loads the state only: options are unchanged.
  void load(torch::serialize::InputArchive& archive) override;

 private:
  /// Each piece's gradient becomes its part of the flat one.
  void cut_gradient();

  std::string name_;
  torch::Tensor parameters_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  const void* cut_ = nullptr;  ///< the flat gradient whose parts the pieces' gradients are
};

}  // namespace epochcast::real
