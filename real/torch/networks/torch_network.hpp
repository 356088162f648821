// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "real/data/data_source.hpp"

namespace epochcast::real {

/// What a batch comes to.
struct BatchLoss {
  torch::Tensor loss;  ///< to be minimised: scalar, the mean over the batch
  /// Loss of each sample [batch], without gradient: what biased sampling ranks samples by.
  torch::Tensor sample_losses;
  /// How many samples are classified correctly: int64 scalar.
  torch::Tensor correct;
  /// Of two halves that learn against each other (GAN): the loss of each, scalars without gradient;
  /// undefined elsewhere.
  torch::Tensor discriminator = {};
  torch::Tensor generator = {};
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

  /// Passes samples [batch, shape...] through every layer once, in order; the results are what a
  /// loss is computed of. It is what models/networks/NAME.json describes.
  virtual std::vector<torch::Tensor> pass_all_layers(const torch::Tensor& samples);

  /// Tells what is black and what is white in the samples, by channel; empty: nobody knows. Call it
  /// on the network's device. Only a network that makes samples cares.
  virtual void set_pixel_levels(const std::vector<PixelLevels>& /*levels*/) {}

  /// Images [labels, channels, rows, columns] of these classes (int64 [labels]), 0 black and 1
  /// white, the same for the same seed and parameters; LibTorch's own generators are left alone.
  /// Undefined where the network makes none.
  virtual torch::Tensor generate(const torch::Tensor& /*labels*/, std::uint64_t /*seed*/) {
    return {};
  }

  /// The name of the layer that scores the classes, the last one; empty where nothing is
  /// classified. Weights of another task differ there.
  [[nodiscard]] virtual std::string classifier() const;
};

/// The network `name` (see network_names.hpp) for samples of this shape, on the CPU, randomly
/// initialised from LibTorch's global generator; or, where the name is a model file's
/// (is_model_file()), that model with its own parameters. Throws a UserError when the name is
/// unknown, the file is none, or the shape does not suit it.
[[nodiscard]] std::shared_ptr<TorchNetwork> make_network(const std::string& name,
                                                         std::span<const std::int64_t> shape,
                                                         std::int64_t classes);

}  // namespace epochcast::real
