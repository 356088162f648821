// SPDX-License-Identifier: Apache-2.0
#include "rehearse/time/sequence_learner.hpp"

namespace epochcast {

void SequenceLearner::add_share(std::string_view action, const Share& share) {
  sequence_.add(action,
                share.offset,
                share.length,
                share.stride,
                share.count,
                share.epoch_begin,
                share.epoch_end);
}

void SequenceLearner::add_buckets() {
  if (has_buckets_) return;
  has_buckets_ = true;
  for (const TensorShapes& tensors : inner_.bucket_tensors())
    sequence_.add("bucket", tensors.size());
}

void SequenceLearner::begin_epoch(std::int64_t epoch) {
  sequence_.add("epoch", epoch);
  epoch_ = epoch;
  inner_.begin_epoch(epoch);
}

void SequenceLearner::use_shuffled(const Share& share) {
  add_share("shuffled", share);
  inner_.use_shuffled(share);
}

void SequenceLearner::draw(const BiasedDraw& draw) {
  sequence_.add("draw",
                draw.fast_samples,
                draw.slow_samples,
                draw.alpha,
                draw.high_loss_to_slow,
                draw.disjoint);
  for (const std::int64_t steps : draw.local_steps) sequence_.add("", steps);
  inner_.draw(draw);
}

void SequenceLearner::use_drawn(const Share& share) {
  add_share("drawn", share);
  inner_.use_drawn(share);
}

void SequenceLearner::forward_backward(std::int64_t batch) {
  sequence_.add("batch", batch);
  inner_.forward_backward(batch);
}

void SequenceLearner::forward_backward(std::int64_t batch, const GradientReady& ready) {
  add_buckets();
  sequence_.add("batch", batch);
  inner_.forward_backward(batch, ready);
}

void SequenceLearner::forward_backward(std::int64_t batch, const LayerHooks& hooks) {
  add_buckets();
  sequence_.add("batch", batch);
  inner_.forward_backward(batch, hooks);
}

void SequenceLearner::step() {
  sequence_.add("step");
  inner_.step();
}

void SequenceLearner::step_part(std::int64_t begin, std::int64_t count, bool is_last) {
  sequence_.add("step of", begin, count, is_last);
  inner_.step_part(begin, count, is_last);
}

void SequenceLearner::apply(Payload gradients,
                            std::int64_t begin,
                            double rate,
                            double epoch_share) {
  sequence_.add("apply", begin, rate, epoch_share);
  inner_.apply(gradients, begin, rate, epoch_share);
}

void SequenceLearner::train(std::int64_t steps, std::int64_t batch) {
  sequence_.add("train", steps, batch);
  inner_.train(steps, batch);
}

LossSum SequenceLearner::loss_sum() const {
  const bool is_known = epoch_ < static_cast<std::int64_t>(known_.size());
  sequence_.follow_loss(epoch_, is_known);
  if (!is_known) return inner_.loss_sum();
  return {.sum = known_[static_cast<std::size_t>(epoch_)].train_loss, .samples = 1};
}

}  // namespace epochcast
