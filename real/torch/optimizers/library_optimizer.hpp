// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/torch.h>

#include <memory>
#include <string>

#include "real/torch/optimizers/flat_optimizer.hpp"

namespace epochcast::real {

/// One of LibTorch's optimizers, over one group of one flat tensor.
class LibraryOptimizer final : public FlatOptimizer {
 public:
  LibraryOptimizer(std::string name, std::unique_ptr<torch::optim::Optimizer> optimizer);

  void step(double learning_rate) override;
  void save(torch::serialize::OutputArchive& archive) const override;
  /// Loads the state alone: options stay as they were made.
  void load(torch::serialize::InputArchive& archive) override;

 private:
  [[nodiscard]] std::int64_t parameter_count() const;

  std::string name_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
};

}  // namespace epochcast::real
