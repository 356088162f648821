// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/loss_sampling.hpp"

namespace epochcast {

/// Learns with one learner and lets time pass with another: real numbers at modelled cost.
class RehearsalLearner : public SamplingLearner {
 public:
  /// `numbers`: computes; the time that this takes must not pass on the fabric's clock. `time`: a
  /// learner without numbers, of the same network and buckets. References must outlive the learner.
  RehearsalLearner(SamplingLearner& numbers, SamplingLearner& time)
      : numbers_(numbers), time_(time) {}

  /// Whether numbers are computed. While they are not, time passes as if they were: a rehearsal
  /// that goes on comes to its place this way. What is exchanged then are numbers without meaning.
  void compute(bool is_computing) { is_computing_ = is_computing; }

  // As many bytes as `time` says: numbers are float32 here, whatever is exchanged.
  Payload parameters() override;
  Payload gradients() override;
  std::vector<Payload> buckets() override;

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
  /// All gradients are computed before the first bucket is ready on the clock: nobody can tell, as
  /// they are not changed once they are final.
  void forward_backward(std::int64_t batch, const GradientReady& ready) override;
  void step() override;
  void train(std::int64_t steps, std::int64_t batch) override;
  /// What batches cost is known: none is computed.
  double benchmark(std::int64_t batch) override { return time_.benchmark(batch); }

 private:
  /// Who knows what is exchanged once an epoch: as much as was computed in the last one.
  [[nodiscard]] SamplingLearner& of_epoch() { return is_computing_ ? numbers_ : time_; }

  SamplingLearner& numbers_;
  SamplingLearner& time_;
  bool is_computing_ = true;
};

}  // namespace epochcast
