// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/formats/curve_point.hpp"
#include "core/loss_sampling.hpp"
#include "rehearse/time/sequence.hpp"

namespace epochcast {

/// Adds a worker's batches and updates to its sequence, and hands them on to a learner without
/// numbers.
class SequenceLearner : public SamplingLearner {
 public:
  /// `known`: epochs whose losses are known. References must outlive the learner.
  SequenceLearner(SamplingLearner& inner, Sequence& sequence, const Curve& known)
      : inner_(inner), sequence_(sequence), known_(known) {}

  Payload parameters() override { return inner_.parameters(); }
  Payload gradients() override { return inner_.gradients(); }
  std::vector<Payload> buckets() override { return inner_.buckets(); }
  std::vector<TensorShapes> bucket_tensors() override { return inner_.bucket_tensors(); }

  void begin_epoch(std::int64_t epoch) override;
  void use_shuffled(const Share& share) override;
  Payload recorded_losses() override { return inner_.recorded_losses(); }
  void draw(const BiasedDraw& draw) override;
  Payload gathered_losses(std::int64_t samples) override { return inner_.gathered_losses(samples); }
  Payload drawn_indices(const BiasedDraw& draw) override { return inner_.drawn_indices(draw); }
  void use_drawn(const Share& share) override;

  void forward_backward(std::int64_t batch) override;
  void forward_backward(std::int64_t batch, const GradientReady& ready) override;
  void forward_backward(std::int64_t batch, const LayerHooks& hooks) override;
  void step() override;
  void step_part(std::int64_t begin, std::int64_t count, bool is_last) override;
  void apply(Payload gradients, std::int64_t begin, double rate, double epoch_share) override;
  void train(std::int64_t steps, std::int64_t batch) override;
  double learning_rate() const override { return inner_.learning_rate(); }
  LossSum loss_sum() const override;
  double benchmark(std::int64_t batch) override { return inner_.benchmark(batch); }
  void kernel(std::string_view what, double moved_bytes) override {
    inner_.kernel(what, moved_bytes);
  }

 private:
  void add_share(std::string_view action, const Share& share);
  /// The tensors of each bucket: how gradients are cut before they are summed.
  void add_buckets();

  SamplingLearner& inner_;
  Sequence& sequence_;
  const Curve& known_;
  std::int64_t epoch_ = 0;
  bool has_buckets_ = false;
};

}  // namespace epochcast
