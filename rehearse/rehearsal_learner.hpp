// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "core/loss_sampling.hpp"
#include "rehearse/batch_threads.hpp"

namespace epochcast {

/// Computes with one learner and advances the clock with another: real numbers at modelled cost.
/// Batches are computed in other threads while they pass on the clock, so that those of several
/// workers are computed at the same time, if no number depends on it.
class RehearsalLearner : public SamplingLearner {
 public:
  /// Starts work on numbers: at once, or in another thread.
  using Start = std::function<BatchThreads::Work(std::function<void()> work)>;

  /// `numbers`: computes, without advancing the fabric's clock. `time`: a learner without numbers,
  /// of the same network and buckets. References must outlive the learner.
  RehearsalLearner(SamplingLearner& numbers,
                   SamplingLearner& time,
                   Start start = &BatchThreads::start_here)
      : numbers_(numbers), time_(time), start_(std::move(start)) {}

  /// Switches computing of numbers on or off. If off, only time passes, until a resumed rehearsal
  /// has reached its position; exchanged numbers are then arbitrary.
  void compute(bool is_computing) { is_computing_ = is_computing; }

  /// The mean loss of the current epoch, which is known from before an interruption.
  void know_loss(double loss) { known_loss_ = loss; }

  // Sizes are those of `time`: numbers are float32 here, whatever is exchanged.
  Payload parameters() override;
  Payload gradients() override;
  std::vector<Payload> buckets() override;
  std::vector<TensorShapes> bucket_tensors() override { return numbers_.bucket_tensors(); }

  void begin_epoch(std::int64_t epoch) override;
  void use_shuffled(const Share& share) override;
  Payload recorded_losses() override { return of_epoch().recorded_losses(); }
  void draw(const BiasedDraw& draw) override;
  Payload gathered_losses(std::int64_t samples) override {
    return of_epoch().gathered_losses(samples);
  }
  Payload drawn_indices(const BiasedDraw& draw) override { return of_epoch().drawn_indices(draw); }
  void use_drawn(const Share& share) override;

  void forward_backward(std::int64_t batch) override;
  /// All gradients are computed when the first bucket is ready on the clock. Final gradients do not
  /// change, so results are the same.
  void forward_backward(std::int64_t batch, const GradientReady& ready) override;
  /// Numbers are computed when all layers have their parameters.
  void forward_backward(std::int64_t batch, const LayerHooks& hooks) override;
  void step() override;
  void step_part(std::int64_t begin, std::int64_t count, bool is_last) override;
  void apply(Payload gradients, std::int64_t begin, double rate, double epoch_share) override;
  void train(std::int64_t steps, std::int64_t batch) override;
  double learning_rate() const override { return numbers_.learning_rate(); }
  LossSum loss_sum() const override {
    return is_computing_ ? numbers_.loss_sum() : LossSum{.sum = known_loss_, .samples = 1};
  }
  /// Costs of batches are known: none is computed.
  double benchmark(std::int64_t batch) override { return time_.benchmark(batch); }
  void kernel(std::string_view what, double moved_bytes) override {
    time_.kernel(what, moved_bytes);
  }

 private:
  /// The learner with the size of exchanges once an epoch: that of the last epoch.
  [[nodiscard]] SamplingLearner& of_epoch() { return is_computing_ ? numbers_ : time_; }

  /// Starts work on numbers, if they are computed.
  [[nodiscard]] BatchThreads::Work start(std::function<void()> work);

  SamplingLearner& numbers_;
  SamplingLearner& time_;
  Start start_;
  bool is_computing_ = true;
  double known_loss_ = 0;
};

}  // namespace epochcast
