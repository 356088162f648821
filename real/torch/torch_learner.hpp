// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/learning_rate.hpp"
#include "real/data/data_source.hpp"
#include "real/torch/batch_loader.hpp"
#include "real/torch/flat_model.hpp"
#include "real/torch/loss_records.hpp"
#include "real/torch/loss_scaler.hpp"
#include "real/torch/optimizers/flat_optimizer.hpp"
#include "real/torch/training_learner.hpp"

namespace epochcast::real {

/// Trains a network with LibTorch.
///
/// The fabric's clock is real time; the additional time of `pace` (an emulated slow device) passes
/// in Fabric::compute(). Shuffles, draws and augmentation depend on the seed, the epoch and the
/// sample alone, not on the rank.
///
/// Forward passes, of tests too, are in the settings' precision: automatic mixed precision, in
/// which parameters and gradients are float32 (see Autocast). With a scale of the loss, gradients
/// are divided by it before anyone gets them, so ranks need not have the same; a step whose
/// gradients are not finite then is skipped.
class TorchLearner : public TrainingLearner {
 public:
  /// References must outlive the learner. Seeds LibTorch's generators, with a stream of its own for
  /// each rank. Throws a UserError when the network does not suit the data, the names are
  /// unknown, or the pretrained weights are not the network's.
  TorchLearner(Fabric& fabric,
               const DataSource& data,
               const LearnerSettings& settings,
               torch::Device device,
               Pace pace = {});

  Payload parameters() override;
  Payload gradients() override;
  std::vector<Payload> buckets() override;
  std::vector<TensorShapes> bucket_tensors() override;

  void begin_epoch(std::int64_t epoch) override;
  void use_shuffled(const Share& share) override;
  Payload recorded_losses() override;
  void draw(const BiasedDraw& draw) override;
  Payload gathered_losses(std::int64_t samples) override;
  Payload drawn_indices(const BiasedDraw& draw) override;
  void use_drawn(const Share& share) override;

  void forward_backward(std::int64_t batch) override;
  void forward_backward(std::int64_t batch, const GradientReady& ready) override;
  void forward_backward(std::int64_t batch, const LayerHooks& hooks) override;
  void step() override;
  void step_part(std::int64_t begin, std::int64_t count, bool is_last) override;
  void apply(Payload gradients, std::int64_t begin, double rate, double epoch_share) override;
  void train(std::int64_t steps, std::int64_t batch) override;
  double benchmark(std::int64_t batch) override;
  void warm_up(std::int64_t batch) override;
  std::vector<double> timed_batches(std::int64_t batch) override;

  Score trained() const override { return trained_; }
  double learning_rate() const override { return learning_rate_; }
  LossSum loss_sum() const override {
    return {.sum = trained_.loss_sum, .samples = trained_.samples};
  }
  const std::optional<Pretrained>& pretrained() const override { return pretrained_; }
  double epoch_share() const override;
  Payload statistics() override;
  Score test(const DataSource& data, std::int64_t begin, std::int64_t end) override;
  Pictures generate(const std::vector<std::int64_t>& labels) override;
  [[nodiscard]] bool is_independent() const override;
  std::string save() override;
  void load(const std::string& bytes) override { load(bytes, Generators::saved); }
  void join(const std::string& bytes) override { load(bytes, Generators::own); }

 private:
  /// Those of the saved rank, or those that this learner began with.
  enum class Generators { saved, own };
  void load(const std::string& bytes, Generators generators);
  void use(const Share& share, const std::vector<std::int64_t>& order);
  /// The epoch's order of all samples; kept, since parameter servers deal single batches.
  const std::vector<std::int64_t>& shuffled_order();
  /// Computes the gradients of the batch's mean loss, part by part; `ready` is called during the
  /// last part.
  void run_batch(std::int64_t batch, const FlatModel::RangeReady& ready = {});
  /// Forward pass of the next samples; backward of their mean loss, times a share of the batch.
  void run_part(std::int64_t samples, double share);
  /// The completed share of the epoch after the next step.
  [[nodiscard]] double share_after_step() const;
  /// The loss of a batch, in the settings' precision.
  BatchLoss forward(const Batch& batch);
  /// Throws a Diverged if the loss is not finite, unless such steps are skipped.
  void check_loss(const torch::Tensor& loss);
  /// Divides a range of the gradients by the scale of the loss, if there is one.
  void unscale(const FlatModel::Range& range);
  /// The optimizer's step at `rate` times the learning rate; `share` of the epoch is completed
  /// then.
  void step_at(double rate, double share);
  /// Whether the optimizer may step; the scale of the loss is then that of the next step. Workers
  /// that update parts of the parameters decide together. Throws a Diverged if no scale is left.
  bool may_step();
  void record(const Batch& batch, const BatchLoss& loss);
  /// Ends the pieces of work up to number `end`, and adds the time of the pace. See Piece.
  void pass(std::string_view what, std::size_t end);
  /// The number after backward's last piece, which is the step's.
  [[nodiscard]] std::size_t backward_end() const { return model_.ranges().size() + 2; }
  /// Gives the pace examples of batches at full speed, once per size, without effect on training.
  /// Without a pace, does nothing.
  void show_examples(std::int64_t batch);
  /// Seconds that `work` on batches of this size computed, until `is_over(times, seconds)`; without
  /// effect on training.
  std::vector<double> run_without_effect(std::int64_t batch,
                                         const std::function<bool(std::int64_t, double)>& is_over,
                                         const std::function<void()>& work);
  void refresh_state();
  [[nodiscard]] bool optimizes_all() const {
    return optimized_ ==
           std::vector<FlatModel::Range>{{.begin = 0, .end = model_.gradients().numel()}};
  }
  /// Makes an optimizer of each of these ranges, without state.
  void optimize(const std::vector<FlatModel::Range>& ranges);
  /// Restores LibTorch's generators to this learner's state.
  void restore_generators();
  /// Whether the network draws random numbers in training, from what its first batch did.
  void see_draws();
  /// Saves that state; only if the process is shared.
  void save_generators();

  Fabric& fabric_;
  LearnerSettings settings_;
  Pace pace_;
  std::optional<Pretrained> pretrained_;
  FlatModel model_;
  std::vector<FlatModel::Range> optimized_;                 ///< parameters that are updated
  std::vector<std::unique_ptr<FlatOptimizer>> optimizers_;  ///< one for each range of these
  std::vector<FlatModel::Range> stepping_;  ///< parts of the current step_part() so far
  std::optional<LossScaler> scaler_;
  BatchLoader loader_;

  std::int64_t samples_;  ///< of the data
  std::int64_t epoch_ = 0;
  double learning_rate_ = 0;
  std::vector<std::int64_t> shuffled_;  ///< order of all samples in shuffled_epoch_
  std::int64_t shuffled_epoch_ = -1;
  std::vector<std::int64_t> order_;  ///< samples of this epoch's share, in order
  std::int64_t next_ = 0;            ///< of order_
  bool is_warming_up_ = false;
  bool is_on_trial_ = false;  ///< steps do not count: thousands on a few samples might diverge
  bool shows_examples_ = false;
  std::int64_t passed_ = 0;       ///< samples of the last forward pass
  std::size_t piece_ = 0;         ///< the next piece of that pass
  std::set<std::int64_t> shown_;  ///< batches of which the pace has examples
  Share share_;                   ///< of the epoch's samples, in use
  std::int64_t steps_ = 0;        ///< since its begin
  double stepped_share_ = 0;      ///< of this epoch, at the last step
  Score trained_;

  LossRecords records_;

  std::optional<bool> draws_;  ///< random numbers in a batch; absent before the first
  std::vector<torch::Tensor> random_states_;  ///< of the CPU's generator and the device's own

  bool is_state_out_ = false;  ///< parameters() may have been changed outside
  bool are_gradients_out_ = false;
  double work_began_s_ = 0;
};

}  // namespace epochcast::real
