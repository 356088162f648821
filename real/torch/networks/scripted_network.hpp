// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "real/torch/networks/torch_network.hpp"

namespace epochcast::real {

/// A model that somebody else wrote: a TorchScript file, as torch.jit.script(model).save(file) or
/// torch.jit.trace(model, example).save(file) make it.
///
/// Its forward() takes samples [batch, shape...] (float32; int64 where a sample is a row of tokens)
/// and returns scores [batch, classes], or a tuple or dictionary of which these are the first
/// tensor. Further tensors of that shape are what auxiliary classifiers say: their cross-entropy
/// counts with 0.3, as in Szegedy et al., CVPR 2015, section 5. A model that requires a second
/// argument gets the labels, and the first tensor that it returns is its loss.
///
/// Parameters that require no gradient are kept like buffers: exchanged where states are, never
/// trained. A tensor that several modules own is one parameter, under the name that comes first.
class ScriptedNetwork : public TorchNetwork {
 public:
  /// Reads the file and sends two samples of zeros through it. Loading a model runs what is in it.
  /// Throws a UserError with LibTorch's own reason when the file is no TorchScript, when the model
  /// does not take such samples, was traced for evaluation, or has parameters other than float32.
  ScriptedNetwork(const std::string& file,
                  std::span<const std::int64_t> shape,
                  std::int64_t classes);

  torch::Tensor forward(torch::Tensor samples) override;
  BatchLoss loss(const torch::Tensor& samples, const torch::Tensor& labels) override;
  std::vector<torch::Tensor> pass_all_layers(const torch::Tensor& samples) override;
  /// Nobody but its author knows which layer scores the classes.
  [[nodiscard]] std::string classifier() const override { return {}; }

  void train(bool on = true) override;
  void to(torch::Device device, bool non_blocking = false) override;

  /// Whether forward() takes labels and returns the loss.
  [[nodiscard]] bool returns_loss() const { return returns_loss_; }

 private:
  /// Every tensor that the model returns, in order.
  std::vector<torch::Tensor> run(const torch::Tensor& samples, const torch::Tensor& labels);
  /// Makes the model's parameters and buffers those of this module, under their names.
  void adopt_tensors();
  void try_samples(std::span<const std::int64_t> shape, std::int64_t classes);

  std::string file_;
  torch::jit::Module script_;
  bool takes_tokens_;
  bool returns_loss_ = false;
};

}  // namespace epochcast::real
