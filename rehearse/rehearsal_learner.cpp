// SPDX-License-Identifier: Apache-2.0
#include "rehearse/rehearsal_learner.hpp"

#include <stdexcept>

namespace epochcast {

void RehearsalLearner::begin_epoch(std::int64_t epoch) {
  if (is_computing_) numbers_.begin_epoch(epoch);
  time_.begin_epoch(epoch);
}

void RehearsalLearner::use_shuffled(const Share& share) {
  if (is_computing_) numbers_.use_shuffled(share);
  time_.use_shuffled(share);
}

void RehearsalLearner::draw(const BiasedDraw& draw) {
  if (is_computing_) numbers_.draw(draw);
  time_.draw(draw);
}

void RehearsalLearner::use_drawn(const Share& share) {
  if (is_computing_) numbers_.use_drawn(share);
  time_.use_drawn(share);
}

void RehearsalLearner::forward_backward(std::int64_t batch) {
  if (is_computing_) numbers_.forward_backward(batch);
  time_.forward_backward(batch);
}

void RehearsalLearner::forward_backward(std::int64_t batch, const GradientReady& ready) {
  std::vector<Payload> finished;
  if (is_computing_) {
    numbers_.forward_backward(batch, [&](Payload bucket) { finished.push_back(bucket); });
  } else {
    finished = numbers_.buckets();
  }
  std::size_t next = 0;
  time_.forward_backward(batch, [&](Payload) {
    if (next == finished.size())
      throw std::logic_error("the model's file has more buckets of gradients than the model");
    ready(finished[next++]);
  });
  if (next != finished.size())
    throw std::logic_error("the model's file has fewer buckets of gradients than the model");
}

void RehearsalLearner::step() {
  if (is_computing_) numbers_.step();
  time_.step();
}

void RehearsalLearner::train(std::int64_t steps, std::int64_t batch) {
  if (is_computing_) numbers_.train(steps, batch);
  time_.train(steps, batch);
}

}  // namespace epochcast
