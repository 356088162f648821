// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/torch.h>

#include <optional>

#include "core/formats/precision.hpp"

namespace epochcast::real {

/// A forward pass in a precision, while this object lives: PyTorch's torch.autocast. With float16
/// and bfloat16, matrix products and convolutions get casts of their inputs; parameters stay
/// float32. Backward belongs outside. float32 and tf32 change nothing here.
///
/// TorchScript is not optimized meanwhile, so its operations are cast as those of eager PyTorch:
/// fused ones would keep the tensors of before the cast for backward.
class Autocast {
 public:
  Autocast(Precision precision, torch::Device device);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  torch::Device device_;
  std::optional<torch::jit::GraphOptimizerEnabledGuard> plain_graphs_;  ///< none: no casts
};

/// Whether matrix products and convolutions of float32 take TF32 on GPUs that have it, from now on
/// in this process: with tf32 alone. (PyTorch takes it for convolutions unless told otherwise.)
void allow_tf32(Precision precision);

}  // namespace epochcast::real
