// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "real/torch/networks/torch_network.hpp"

namespace epochcast::real {

/// A model of the user's own: a TorchScript file, as torch.jit.script(model).save(file) or
/// torch.jit.trace(model, example).save(file) write it.
///
/// Its forward() takes samples [batch, shape...] (float32; int64 if a sample is a row of tokens)
/// and returns the input of the loss (loss_of()), such as scores [batch, classes], or a tuple or
/// dictionary with this as the first tensor. Further tensors of that shape are outputs of auxiliary
/// classifiers: their loss counts with 0.3, as in Szegedy et al., CVPR 2015, section
/// 5. A model that requires a second argument gets the targets, and the first single number that it
/// returns is its loss, before or after its scores. A model with optional targets gets them with
/// --loss model, or if no loss could be computed of its outputs without them.
///
/// Parameters that require no gradient are kept like buffers: exchanged with the state, never
/// trained. A tensor that several modules own is one parameter, under the name that comes first.
class ScriptedNetwork : public TorchNetwork {
 public:
  /// Reads the file and runs two and three samples through it: random numbers from a fixed seed, or
  /// words. Loading a model runs its code. Throws a UserError as load_script() does, with
  /// LibTorch's own reason when the model does not accept such samples, accepts batches of one size
  /// only, has outputs that do not fit the loss, or has parameters other than float32.
  ScriptedNetwork(const std::string& file, const Task& task);

  torch::Tensor forward(torch::Tensor samples) override;
  BatchLoss loss(const torch::Tensor& samples, const torch::Tensor& targets) override;
  std::vector<torch::Tensor> pass_all_layers(const torch::Tensor& samples) override;
  /// The layer that scores the classes is unknown.
  [[nodiscard]] std::string classifier() const override { return {}; }
  [[nodiscard]] bool is_scripted() const override { return true; }

  void train(bool on = true) override;
  void to(torch::Device device, bool non_blocking = false) override;

  /// Whether forward() takes targets and returns the loss.
  [[nodiscard]] bool returns_loss() const { return returns_loss_; }
  /// The number of classes that it scores for each sample; absent if it returns the loss, or
  /// anything else.
  [[nodiscard]] std::optional<std::int64_t> scored_classes() const { return scored_classes_; }

 private:
  /// Every tensor that the model returns, in order. Throws a UserError if there is none.
  std::vector<torch::Tensor> run(const torch::Tensor& samples, const torch::Tensor& targets);
  /// The same for samples of random numbers, or of the last word of a known vocabulary, or of the
  /// first word of an unknown one.
  std::vector<torch::Tensor> run_trial(std::int64_t samples);
  /// The same for two; throws a UserError if the model does not accept them.
  std::vector<torch::Tensor> run_first_trial();
  /// Whether such a trial runs without error.
  bool takes(std::int64_t samples);
  /// Throws if the model accepts batches of one size only. `results`: its outputs for two samples.
  void check_batch_sizes(const std::vector<torch::Tensor>& results);
  [[noreturn]] void fail_batch_size(std::int64_t samples, const std::string& reason) const;
  /// Whether samples are texts of a vocabulary whose size is that of the targets'.
  [[nodiscard]] bool has_vocabulary() const;
  /// " tokens up to 9" and other properties of samples that are texts; "" for others.
  [[nodiscard]] std::string words_text() const;
  /// Targets of so many samples, all 0.
  [[nodiscard]] torch::Tensor no_targets(std::int64_t samples, torch::Device device) const;
  /// Makes the model's parameters and buffers those of this module, under their names.
  void adopt_tensors();
  /// `may_return_loss`: whether the model may take targets.
  void try_samples(bool may_return_loss);
  /// Whether the loss can be computed of such outputs of the trial.
  [[nodiscard]] bool fit(const torch::Tensor& outputs) const;
  /// Throws if it cannot.
  void check_outputs(const torch::Tensor& outputs) const;
  /// Throws if backward could not start from the loss of a batch.
  void check_learns(const torch::Tensor& loss) const;

  std::string file_;
  Task task_;
  torch::jit::Module script_;
  bool returns_loss_ = false;
  std::optional<std::int64_t> scored_classes_;
  std::size_t place_of_loss_ = 0;  ///< index in the result of run()
};

}  // namespace epochcast::real
