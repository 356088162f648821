// SPDX-License-Identifier: Apache-2.0
#include "core/costs/cost_learner.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "core/costs/benchmark_rule.hpp"

namespace epochcast {
namespace {

constexpr double kIndexBytes = 8;  // sample indices travel as 64-bit integers
constexpr double kLossBytes = 4;   // losses as float32
// SGD with momentum reads the gradient, reads and writes the momentum and the parameter.
constexpr double kUpdateMoves = 5;

// Kernels of compressions; strategies have others.
constexpr std::string_view kCompressing[] = {"compress", "decompress", "project", "sum", "merge"};

}  // namespace

CostLearner::CostLearner(Fabric& fabric,
                         const Network& network,
                         const BatchCost& cost,
                         const std::vector<Bucket>& buckets,
                         Options options)
    : fabric_(fabric),
      network_(network),
      cost_(cost),
      buckets_(buckets),
      options_(std::move(options)) {
  if (options_.seed) bootstrap_.emplace(*options_.seed);
}

Payload CostLearner::parameters() {
  return {.element = Element::float32, .count = network_.parameters() + network_.buffers};
}

Payload CostLearner::gradients() { return gradients_of(network_.gradient_bytes()); }

Payload CostLearner::gradients_of(double bytes) const {
  const int size = network_.bytes_per_gradient;
  return {.element = size == 4   ? Element::float32
                     : size == 2 ? Element::float16
                                 : Element::int8,
          .count = std::llround(bytes / size)};
}

std::vector<Payload> CostLearner::buckets() {
  std::vector<Payload> payloads;
  for (const Bucket& bucket : buckets_) payloads.push_back(gradients_of(bucket.bytes));
  return payloads;
}

std::vector<TensorShapes> CostLearner::bucket_tensors() {
  std::vector<TensorShapes> tensors;
  for (const Bucket& bucket : buckets_) tensors.push_back(bucket.tensors);
  return tensors;
}

void CostLearner::begin_epoch(std::int64_t epoch) {
  drawn_batches_ = 0;
  loading_since_s_ = fabric_.now_s() - fabric_.omitted_s();
  if (!options_.seed) return;
  bootstrap_.emplace(mix_seed(*options_.seed, static_cast<std::uint64_t>(epoch) + 1));
}

// The samples of an epoch are known before it runs; a simulated clock may skip iterations of it.
void CostLearner::use_shuffled(const Share& share) { trained_samples_ = share.samples(); }

Payload CostLearner::recorded_losses() {
  return payload_of_bytes((kIndexBytes + kLossBytes) * static_cast<double>(trained_samples_));
}

// Selecting the highest of some ten thousand losses takes below a millisecond an epoch: not
// charged.
void CostLearner::draw(const BiasedDraw&) {}

Payload CostLearner::gathered_losses(std::int64_t samples) {
  return payload_of_bytes((kIndexBytes + kLossBytes) * static_cast<double>(samples));
}

Payload CostLearner::drawn_indices(const BiasedDraw& draw) {
  return {.element = Element::int64, .count = draw.fast_samples + draw.slow_samples};
}

void CostLearner::use_drawn(const Share& share) { use_shuffled(share); }

BatchTimes CostLearner::next(std::int64_t samples, double after_s) {
  if (samples > largest_batch_) check_memory(samples);
  BatchTimes times =
      bootstrap_ ? cost_.at(samples, bootstrap_->place(drawn_batches_++, cost_.samples(samples)))
                 : cost_.median(samples);
  times.load_s += wait_for_loader(samples, after_s);
  return times;
}

double CostLearner::wait_for_loader(std::int64_t samples, double after_s) {
  if (options_.loading_s_per_sample == 0) return 0;
  const double needed_s = fabric_.now_s() - fabric_.omitted_s() + after_s;
  const double loaded_s =
      loading_since_s_ + static_cast<double>(samples) * options_.loading_s_per_sample;
  loading_since_s_ = std::max(needed_s, loaded_s);
  return loading_since_s_ - needed_s;
}

BatchTimes CostLearner::last_part(std::int64_t batch) {
  double before_s = 0;
  for (std::int64_t i = 0; i + 1 < options_.accumulate; ++i) {
    const BatchTimes times = next(part_of(batch, options_.accumulate, i), before_s);
    before_s += times.total_s() - times.step_s;
  }
  if (options_.accumulate > 1) fabric_.compute(before_s, "accumulated batches");
  return next(part_of(batch, options_.accumulate, options_.accumulate - 1));
}

double CostLearner::whole(std::int64_t batch, double after_s) {
  double seconds = 0;
  for (std::int64_t i = 0; i + 1 < options_.accumulate; ++i) {
    const BatchTimes times = next(part_of(batch, options_.accumulate, i), after_s + seconds);
    seconds += times.total_s() - times.step_s;
  }
  const std::int64_t last = part_of(batch, options_.accumulate, options_.accumulate - 1);
  return seconds + next(last, after_s + seconds).total_s();
}

std::int64_t CostLearner::most_samples(std::int64_t above) const {
  std::int64_t fitting = 0;
  while (above - fitting > 1) {
    const std::int64_t middle = fitting + (above - fitting) / 2;
    const bool fits = network_.training_bytes(middle, options_.kept) <= fabric_.self().memory_bytes;
    (fits ? fitting : above) = middle;
  }
  return fitting;
}

void CostLearner::check_memory(std::int64_t samples) {
  const WorkerInfo& device = fabric_.self();
  const double needed = network_.training_bytes(samples, options_.kept);
  if (device.memory_bytes > 0 && needed > device.memory_bytes) {
    const std::int64_t most = most_samples(samples);
    throw UserError(
        "--batch: a batch of " + std::to_string(samples) + " samples of " + network_.name +
        " needs " + format_bytes(needed) + "; device " + device.model + " has " +
        format_bytes(device.memory_bytes) +
        (most > 0 ? ": at most " + std::to_string(most) + " fit; --accumulate adds up smaller ones"
                  : ""));
  }
  largest_batch_ = samples;
}

void CostLearner::begin_batch() {
  most_kernel_s_ = most_kernel_s();
  kernel_s_ = 0;
}

void CostLearner::forward_backward(std::int64_t batch) {
  begin_batch();
  const BatchTimes times = last_part(batch);
  pending_step_s_ = times.step_s;
  fabric_.compute(times.load_s + times.forward_s, "forward");
  fabric_.compute(times.backward_s, "backward");
}

void CostLearner::forward_backward(std::int64_t batch, const GradientReady& ready) {
  begin_batch();
  const BatchTimes times = last_part(batch);
  pending_step_s_ = times.step_s;
  pass(times, {.after_backward = [&](std::size_t bucket) {
         ready(gradients_of(buckets_[bucket].bytes));
       }});
}

void CostLearner::forward_backward(std::int64_t batch, const LayerHooks& hooks) {
  begin_batch();
  for (std::int64_t i = 0; i < options_.accumulate; ++i) {
    const BatchTimes times = next(part_of(batch, options_.accumulate, i));
    pending_step_s_ = times.step_s;
    pass(times, hooks);
  }
}

void CostLearner::pass(const BatchTimes& times, const LayerHooks& hooks) {
  if (!hooks.before_forward) {
    fabric_.compute(times.load_s + times.forward_s, "forward");
  } else {
    if (times.load_s > 0) fabric_.compute(times.load_s, "load");
    for (std::size_t bucket = buckets_.size(); bucket-- > 0;) {
      hooks.before_forward(bucket);
      fabric_.compute(times.forward_s * buckets_[bucket].backward_share, "forward");
    }
  }
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    if (hooks.before_backward) hooks.before_backward(bucket);
    fabric_.compute(times.backward_s * buckets_[bucket].backward_share, "backward");
    if (hooks.after_backward) hooks.after_backward(bucket);
  }
}

void CostLearner::step() { fabric_.compute(pending_step_s_, "step"); }

void CostLearner::step_part(std::int64_t /*begin*/, std::int64_t count, bool /*is_last*/) {
  const auto all = static_cast<double>(network_.parameters());
  fabric_.compute(pending_step_s_ * static_cast<double>(count) / all, "step");
}

void CostLearner::apply(Payload gradients,
                        std::int64_t /*begin*/,
                        double /*rate*/,
                        double /*epoch_share*/) {
  kernel("update", kUpdateMoves * sizeof(float) * static_cast<double>(gradients.count));
}

void CostLearner::train(std::int64_t steps, std::int64_t batch) {
  if (steps == 0) return;
  begin_batch();
  double seconds = 0;
  if (bootstrap_ || options_.loading_s_per_sample > 0) {
    for (std::int64_t i = 0; i < steps; ++i) seconds += whole(batch, seconds);
  } else {
    seconds = static_cast<double>(steps) * whole(batch, 0);  // all have the median cost
  }
  fabric_.compute(seconds, "local steps");
}

double CostLearner::benchmark(std::int64_t batch) {
  std::int64_t batches = 0;
  double seconds = 0;
  for (; !is_benchmark_over(batches, seconds); ++batches) seconds += whole(batch, seconds);
  fabric_.compute(seconds, "benchmark");
  return seconds / static_cast<double>(batches);
}

void CostLearner::kernel(std::string_view what, double moved_bytes) {
  const double seconds = options_.kernels.seconds(fabric_.self(), what, moved_bytes);
  if (std::ranges::find(kCompressing, what) != std::end(kCompressing)) kernel_s_ += seconds;
  fabric_.compute(seconds, what);
}

}  // namespace epochcast
