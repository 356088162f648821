// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "real/data/data_source.hpp"
#include "real/torch/networks/batch_loss.hpp"
#include "real/torch/networks/task.hpp"

namespace epochcast::real {

/// A trainable network: samples in, scores or values out.
///
/// Tensors are named as torchvision names them; a layer is a module that owns parameters, and its
/// name is that of its tensors up to the last dot (as in models/networks/*.json).
class TorchNetwork : public torch::nn::Module {
 public:
  /// Scores or values [batch, outputs] of samples [batch, shape...], float32 on the network's
  /// device; [batch, tokens, outputs] if every token has its own.
  virtual torch::Tensor forward(torch::Tensor samples) = 0;

  /// Loss of a batch, with the targets of a Batch; see learn_by().
  virtual BatchLoss loss(const torch::Tensor& samples, const torch::Tensor& targets);
  /// Sets the loss; cross-entropy by default. Networks with their own loss (GAN) ignore it.
  void learn_by(Loss loss) { loss_ = loss; }

  /// Passes samples [batch, shape...] through every layer once, in order; the results are the
  /// inputs of a loss. models/networks/NAME.json describes this pass.
  virtual std::vector<torch::Tensor> pass_all_layers(const torch::Tensor& samples);

  /// Sets the values of black and white in the samples, by channel; empty: unknown. Call it on the
  /// network's device. Only networks that generate samples use it.
  virtual void set_pixel_levels(const std::vector<PixelLevels>& /*levels*/) {}

  /// Images [labels, channels, rows, columns] of these classes (int64 [labels]), 0 black and 1
  /// white, the same for the same seed and parameters; LibTorch's own random generators are not
  /// used. Undefined if the network generates none.
  virtual torch::Tensor generate(const torch::Tensor& /*labels*/, std::uint64_t /*seed*/) {
    return {};
  }

  /// Whether it runs a program of the user's, of which one batch does not show what others do.
  [[nodiscard]] virtual bool is_scripted() const { return false; }

  /// The name of the last layer, which scores the classes; empty if nothing is classified. Weights
  /// of another task differ there.
  [[nodiscard]] virtual std::string classifier() const;

 protected:
  [[nodiscard]] Loss learns_by() const { return loss_; }

 private:
  Loss loss_ = Loss::cross_entropy;
};

/// Whether a buffer is averaged with the parameters: statistics, in float32. Counters, masks and
/// constants of other types are not changed.
[[nodiscard]] inline bool is_averaged(const torch::Tensor& buffer) {
  return buffer.scalar_type() == torch::kFloat32;
}

/// The network `name` (see network_names.hpp) for such samples and targets, on the CPU, randomly
/// initialised from LibTorch's global generator; or, for the name of a model file
/// (is_model_file()), that model with its own parameters. Throws a UserError when the name is
/// unknown, the file is none, or the samples, targets or the loss do not suit it.
[[nodiscard]] std::shared_ptr<TorchNetwork> make_network(const std::string& name, const Task& task);

}  // namespace epochcast::real
