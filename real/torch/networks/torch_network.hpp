// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace epochcast::real {

/// A trainable network: samples in, class scores out.
///
/// Tensors are named as torchvision names them; a layer is a module that owns parameters, and its
/// name is that of its tensors up to the last dot (as in models/networks/*.json).
class TorchNetwork : public torch::nn::Module {
 public:
  /// Scores [batch, classes] of samples [batch, shape...], float32 on the network's device.
  virtual torch::Tensor forward(torch::Tensor samples) = 0;
};

/// The network `name` (see network_names.hpp) for samples of this shape, on the CPU, randomly
/// initialised from LibTorch's global generator. Throws a UserError when the name is unknown or the
/// shape does not suit it.
[[nodiscard]] std::shared_ptr<TorchNetwork> make_network(const std::string& name,
                                                         std::span<const std::int64_t> shape,
                                                         std::int64_t classes);

}  // namespace epochcast::real
