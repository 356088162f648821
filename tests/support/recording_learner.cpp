// SPDX-License-Identifier: Apache-2.0
#include "tests/support/recording_learner.hpp"

#include <numeric>
#include <ostream>
#include <stdexcept>

namespace epochcast::tests {
namespace {

template <typename Container>
std::vector<float> copy_of(const Container& values) {
  return {values.begin(), values.end()};
}

}  // namespace

RecordingLearner::RecordingLearner(Fabric& fabric, const TestWork& work, LearnerLog& log)
    : fabric_(fabric), work_(work), log_(log) {
  parameters_.fill(static_cast<float>(fabric.rank()));
  for (const Payload& bucket : RecordingLearner::buckets()) {
    log_.bucket_addresses.push_back(bucket.data.data());
  }
}

RecordingLearner::~RecordingLearner() { log_.parameters = copy_of(parameters_); }

Payload RecordingLearner::parameters() { return payload_of(std::span(parameters_)); }

Payload RecordingLearner::gradients() { return payload_of(std::span(gradients_)); }

std::vector<Payload> RecordingLearner::buckets() {
  constexpr std::size_t kLength = kGradients / kBuckets;
  std::vector<Payload> buckets;
  for (std::size_t i = kBuckets; i-- > 0;) {
    buckets.push_back(payload_of(std::span(gradients_).subspan(i * kLength, kLength)));
  }
  return buckets;
}

void RecordingLearner::use(const Share& share) {
  share_ = share;
  trained_ = 0;
  losses_.clear();
}

void RecordingLearner::begin_epoch(std::int64_t epoch) { log_.epochs.push_back(epoch); }

void RecordingLearner::use_shuffled(const Share& share) {
  log_.shuffled.push_back(share);
  use(share);
}

Payload RecordingLearner::recorded_losses() { return payload_of(std::span(losses_)); }

void RecordingLearner::draw(const BiasedDraw& draw) {
  log_.draws.push_back(draw);
  log_.losses.push_back(gathered_);
  indices_.resize(static_cast<std::size_t>(draw.fast_samples + draw.slow_samples));
  std::iota(indices_.begin(), indices_.end(), 0.0F);
}

Payload RecordingLearner::gathered_losses(std::int64_t samples) {
  gathered_.assign(2 * static_cast<std::size_t>(samples), -1.0F);
  return payload_of(std::span(gathered_));
}

Payload RecordingLearner::drawn_indices(const BiasedDraw& draw) {
  indices_.resize(static_cast<std::size_t>(draw.fast_samples + draw.slow_samples), -1.0F);
  return payload_of(std::span(indices_));
}

void RecordingLearner::use_drawn(const Share& share) {
  log_.drawn.push_back(share);
  log_.indices.push_back(indices_);
  use(share);
}

void RecordingLearner::compute_gradients(std::int64_t batch) {
  if (trained_ + batch > share_.samples()) {
    throw std::logic_error("rank " + std::to_string(fabric_.rank()) + " trains beyond its share");
  }
  double mean = 0;
  for (std::int64_t i = 0; i < batch; ++i, ++trained_) {
    const std::int64_t position = share_.position(trained_);
    mean +=
        static_cast<double>(work_.gradient(fabric_.rank(), position)) / static_cast<double>(batch);
    losses_.push_back(static_cast<float>(position));
    losses_.push_back(2 * static_cast<float>(position));
  }
  for (std::size_t j = 0; j < kGradients; ++j) {
    gradients_[j] = static_cast<float>(mean * static_cast<double>(j + 1));
  }
}

void RecordingLearner::apply() {
  for (std::size_t j = 0; j < kGradients; ++j) parameters_[j] -= gradients_[j];
}

void RecordingLearner::forward_backward(std::int64_t batch) {
  log_.batches.push_back(batch);
  log_.starts.push_back(copy_of(parameters_));
  compute_gradients(batch);
  if (batch > 0) fabric_.compute(work_.batch_s(fabric_.rank(), batch), "batch");
}

void RecordingLearner::forward_backward(std::int64_t batch, const GradientReady& ready) {
  log_.batches.push_back(batch);
  log_.starts.push_back(copy_of(parameters_));
  compute_gradients(batch);
  for (const Payload& bucket : buckets()) {
    if (batch > 0) fabric_.compute(work_.batch_s(fabric_.rank(), batch) / kBuckets, "backward");
    ready(bucket);
  }
}

void RecordingLearner::forward_backward(std::int64_t batch, const LayerHooks& hooks) {
  for (std::size_t bucket = kBuckets; bucket-- > 0;) {
    if (hooks.before_forward) hooks.before_forward(bucket);
  }
  std::size_t next = 0;
  forward_backward(batch, [&](const Payload&) {
    if (hooks.before_backward) hooks.before_backward(next);
    if (hooks.after_backward) hooks.after_backward(next);
    ++next;
  });
}

void RecordingLearner::step_part(std::int64_t begin, std::int64_t count, bool) {
  for (std::int64_t j = begin; j < begin + count; ++j) {
    const auto place = static_cast<std::size_t>(j);
    parameters_[place] -= gradients_[place];
  }
}

void RecordingLearner::step() {
  log_.applied.push_back(copy_of(gradients_));
  apply();
}

void RecordingLearner::apply(Payload gradients,
                             std::int64_t begin,
                             double rate,
                             double epoch_share) {
  log_.shares.push_back(epoch_share);
  const std::span<const float> numbers = values<float>(gradients);
  log_.applied.emplace_back(numbers.begin(), numbers.end());
  log_.rates.push_back(rate);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    parameters_.at(static_cast<std::size_t>(begin) + i) -= static_cast<float>(rate) * numbers[i];
}

void RecordingLearner::train(std::int64_t steps, std::int64_t batch) {
  log_.local.push_back({.steps = steps, .batch = batch});
  log_.starts.push_back(copy_of(parameters_));
  for (std::int64_t i = 0; i < steps; ++i) {
    compute_gradients(batch);
    apply();
  }
  fabric_.compute(static_cast<double>(steps) * work_.batch_s(fabric_.rank(), batch), "steps");
}

double RecordingLearner::benchmark(std::int64_t batch) {
  log_.benchmarks.push_back(batch);
  const double seconds = work_.batch_s(fabric_.rank(), batch);
  fabric_.compute(seconds, "benchmark");
  return seconds;
}

}  // namespace epochcast::tests

namespace epochcast {

std::ostream& operator<<(std::ostream& out, const Share& share) {
  return out << share.count << " x [" << share.offset << ", " << share.offset + share.length
             << ") of " << share.stride;
}

}  // namespace epochcast
