// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "real/torch/networks/torch_network.hpp"

namespace epochcast::real {

/// A model that somebody else wrote: a TorchScript file, as torch.jit.script(model).save(file) or
/// torch.jit.trace(model, example).save(file) make it.
///
/// Its forward() takes samples [batch, shape...] (float32; int64 where a sample is a row of tokens)
/// and returns what the loss is computed of (loss_of()), such as scores [batch, classes], or a
/// tuple or dictionary of which this is the first tensor. Further tensors of that shape are what
/// auxiliary classifiers say: their loss counts with 0.3, as in Szegedy et al., CVPR 2015, section
/// 5. A model that requires a second argument gets the targets, and the first single number that it
/// returns is its loss, in front of its scores or behind them. One that can do without targets gets
/// them with --loss model, or where without them it makes nothing that a loss could be computed of.
///
/// Parameters that require no gradient are kept like buffers: exchanged where states are, never
/// trained. A tensor that several modules own is one parameter, under the name that comes first.
class ScriptedNetwork : public TorchNetwork {
 public:
  /// Reads the file and sends two and three samples through it: random numbers, always the same, or
  /// words. Loading a model runs what is in it. Throws a UserError as load_script() does, with
  /// LibTorch's own reason when the model does not take such samples, takes batches of one size
  /// alone, or makes something else of them than the loss is computed of, or has parameters other
  /// than float32.
  ScriptedNetwork(const std::string& file, const Task& task);

  torch::Tensor forward(torch::Tensor samples) override;
  BatchLoss loss(const torch::Tensor& samples, const torch::Tensor& targets) override;
  std::vector<torch::Tensor> pass_all_layers(const torch::Tensor& samples) override;
  /// Nobody but its author knows which layer scores the classes.
  [[nodiscard]] std::string classifier() const override { return {}; }

  void train(bool on = true) override;
  void to(torch::Device device, bool non_blocking = false) override;

  /// Whether forward() takes targets and returns the loss.
  [[nodiscard]] bool returns_loss() const { return returns_loss_; }
  /// Classes that it scores for each sample; absent where it returns the loss, or something else.
  [[nodiscard]] std::optional<std::int64_t> scored_classes() const { return scored_classes_; }

 private:
  /// Every tensor that the model returns, in order. Throws a UserError where there is none.
  std::vector<torch::Tensor> run(const torch::Tensor& samples, const torch::Tensor& targets);
  /// The same of so many samples of random numbers, or of the last word of a vocabulary that is
  /// known, or of the first of one that is not.
  std::vector<torch::Tensor> run_trial(std::int64_t samples);
  /// The same of two; throws a UserError where the model does not take them.
  std::vector<torch::Tensor> run_first_trial();
  /// Whether such a trial comes to an end.
  bool takes(std::int64_t samples);
  /// Throws where the model computes batches of one size alone, given what it makes of two samples.
  void check_batch_sizes(const std::vector<torch::Tensor>& results);
  [[noreturn]] void fail_batch_size(std::int64_t samples, const std::string& reason) const;
  /// Whether samples are texts of a vocabulary whose size is that of the targets'.
  [[nodiscard]] bool knows_words() const;
  /// " tokens up to 9", and what else is to be known of samples that are texts; "" of others.
  [[nodiscard]] std::string words_text() const;
  /// Targets of so many samples, all 0.
  [[nodiscard]] torch::Tensor no_targets(std::int64_t samples, torch::Device device) const;
  /// Makes the model's parameters and buffers those of this module, under their names.
  void adopt_tensors();
  /// `may_return_loss`: it takes targets, if it is given any.
  void try_samples(bool may_return_loss);
  /// Whether the loss can be computed of such outputs of the trial.
  [[nodiscard]] bool fit(const torch::Tensor& outputs) const;
  /// Throws where it cannot.
  void check_outputs(const torch::Tensor& outputs) const;
  /// Throws where backward could not begin at the loss of a batch.
  void check_learns(const torch::Tensor& loss) const;

  std::string file_;
  Task task_;
  torch::jit::Module script_;
  bool returns_loss_ = false;
  std::optional<std::int64_t> scored_classes_;
  std::size_t place_of_loss_ = 0;  ///< among what run() returns
};

}  // namespace epochcast::real
