// SPDX-License-Identifier: Apache-2.0
#include "rehearse/rehearsal_learner.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace epochcast {
namespace {

/// Throws if the buckets of the costs differ from those of the model.
void check_buckets(std::size_t of_file, std::size_t of_model) {
  if (of_file == of_model) return;
  throw std::logic_error("the model's file has " +
                         std::string(of_file > of_model ? "more" : "fewer") +
                         " buckets of gradients than the model");
}

/// These numbers, charged as `sizes`.
Payload charged(Payload numbers, const Payload& sizes) {
  numbers.charged_bytes = sizes.bytes();
  return numbers;
}

}  // namespace

Payload RehearsalLearner::parameters() {
  return charged(numbers_.parameters(), time_.parameters());
}

Payload RehearsalLearner::gradients() { return charged(numbers_.gradients(), time_.gradients()); }

std::vector<Payload> RehearsalLearner::buckets() {
  std::vector<Payload> all = numbers_.buckets();
  const std::vector<Payload> sizes = time_.buckets();
  check_buckets(sizes.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = charged(all[i], sizes[i]);
  return all;
}

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

BatchThreads::Work RehearsalLearner::start(std::function<void()> work) {
  if (!is_computing_) return {};
  return start_(std::move(work));
}

void RehearsalLearner::forward_backward(std::int64_t batch) {
  BatchThreads::Work work = start([&, batch] { numbers_.forward_backward(batch); });
  time_.forward_backward(batch);
  work.wait();
}

void RehearsalLearner::forward_backward(std::int64_t batch, const GradientReady& ready) {
  std::vector<Payload> finished;
  if (!is_computing_) finished = numbers_.buckets();
  BatchThreads::Work work = start([&, batch] {
    numbers_.forward_backward(batch, [&](Payload bucket) { finished.push_back(bucket); });
  });
  std::size_t next = 0;
  time_.forward_backward(batch, [&](Payload bucket) {
    work.wait();
    if (next == finished.size()) check_buckets(next + 1, next);
    ready(charged(finished[next++], bucket));
  });
  work.wait();
  check_buckets(next, finished.size());
}

void RehearsalLearner::forward_backward(std::int64_t batch, const LayerHooks& hooks) {
  LayerHooks computing = hooks;
  computing.before_forward = [&](std::size_t bucket) {
    if (hooks.before_forward) hooks.before_forward(bucket);
    if (bucket == 0 && is_computing_) numbers_.forward_backward(batch);
  };
  time_.forward_backward(batch, computing);
}

void RehearsalLearner::step_part(std::int64_t begin, std::int64_t count, bool is_last) {
  if (is_computing_) numbers_.step_part(begin, count, is_last);
  time_.step_part(begin, count, is_last);
}

void RehearsalLearner::apply(Payload gradients,
                             std::int64_t begin,
                             double rate,
                             double epoch_share) {
  if (is_computing_) numbers_.apply(gradients, begin, rate, epoch_share);
  time_.apply(gradients, begin, rate, epoch_share);
}

void RehearsalLearner::step() {
  if (is_computing_) numbers_.step();
  time_.step();
}

void RehearsalLearner::train(std::int64_t steps, std::int64_t batch) {
  BatchThreads::Work work = start([&, steps, batch] { numbers_.train(steps, batch); });
  time_.train(steps, batch);
  work.wait();
}

}  // namespace epochcast
