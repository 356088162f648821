// SPDX-License-Identifier: Apache-2.0
#include "rehearse/rehearsal_learner.hpp"

#include <stdexcept>

namespace epochcast {

void RehearsalLearner::begin_epoch(std::int64_t epoch) {
  numbers_.begin_epoch(epoch);
  time_.begin_epoch(epoch);
}

void RehearsalLearner::use_shuffled(const Share& share) {
  numbers_.use_shuffled(share);
  time_.use_shuffled(share);
}

void RehearsalLearner::draw(const BiasedDraw& draw) {
  numbers_.draw(draw);
  time_.draw(draw);
}

void RehearsalLearner::use_drawn(const Share& share) {
  numbers_.use_drawn(share);
  time_.use_drawn(share);
}

void RehearsalLearner::forward_backward(std::int64_t batch) {
  numbers_.forward_backward(batch);
  time_.forward_backward(batch);
}

void RehearsalLearner::forward_backward(std::int64_t batch, const GradientReady& ready) {
  std::vector<Payload> finished;
  numbers_.forward_backward(batch, [&](Payload bucket) { finished.push_back(bucket); });
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
  numbers_.step();
  time_.step();
}

void RehearsalLearner::train(std::int64_t steps, std::int64_t batch) {
  numbers_.train(steps, batch);
  time_.train(steps, batch);
}

}  // namespace epochcast
