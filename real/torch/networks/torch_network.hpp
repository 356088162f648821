// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace epochcast::real {

/// What a batch comes to.
struct BatchLoss {
  torch::Tensor loss;  ///< to be minimised: scalar, the mean over the batch
  /// Loss of each sample [batch], without gradient: what biased sampling ranks samples by.
  torch::Tensor sample_losses;
  /// How many samples are classified correctly: int64 scalar; undefined where nothing is
  /// classified.
  torch::Tensor correct;
};

/// A trainable network: samples in, class scores out.
///
/// Tensors are named as torchvision names them; a layer is a module that owns parameters, and its
/// name is that of its tensors up to the last dot (as in models/networks/*.json).
class TorchNetwork : public torch::nn::Module {
 public:
  /// Scores [batch, classes] of samples [batch, shape...], float32 on the network's device.
  virtual torch::Tensor forward(torch::Tensor samples) = 0;

  /// Loss of a batch; labels int64 [batch] on the network's device. Cross-entropy of the scores,
  /// unless the network is trained in another way (GAN).
  virtual BatchLoss loss(const torch::Tensor& samples, const torch::Tensor& labels);

  /// The name of the layer that scores the classes, the last one; empty where nothing is
  /// classified. Weights of another task differ there.
  [[nodiscard]] virtual std::string classifier() const;
};

/// The network `name` (see network_names.hpp) for samples of this shape, on the CPU, randomly
/// initialised from LibTorch's global generator. Throws a UserError when the name is unknown or the
/// shape does not suit it.
[[nodiscard]] std::shared_ptr<TorchNetwork> make_network(const std::string& name,
                                                         std::span<const std::int64_t> shape,
                                                         std::int64_t classes);

}  // namespace epochcast::real
