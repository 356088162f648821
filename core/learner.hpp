// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/fabric.hpp"

namespace epochcast {

/// Which samples the fast and the slow workers of biased local SGD draw for an epoch (STRATEGIES:
/// sampling bias).
struct BiasedDraw {
  std::int64_t fast_samples = 0;   ///< drawn for all fast workers together
  std::int64_t slow_samples = 0;   ///< drawn for all slow workers together
  double alpha = 0;                ///< share of the favoured workers' samples taken by highest loss
  bool high_loss_to_slow = false;  ///< favour the slow workers instead
  bool disjoint = false;           ///< "unified" sampling: no sample is drawn by both
  /// By rank: what each worker has trained on since the last epoch began is in proportion to its
  /// local steps, and a round's steps take equally long. So the records say when they were made.
  std::span<const std::int64_t> local_steps = {};
};

/// Positions of an epoch's order of samples that one worker trains on: [i·stride + offset, i·stride
/// + offset + length) for i = 0 ... count - 1. Chunk i of all workers together is what the job
/// trains on between two exchanges, so that P workers see what one worker with their joint batch
/// would see.
struct Share {
  std::int64_t offset = 0;
  std::int64_t length = 0;
  std::int64_t stride = 0;
  std::int64_t count = 0;

  /// Samples of the share.
  [[nodiscard]] std::int64_t samples() const { return length * count; }
  /// Position of the share's n-th sample.
  [[nodiscard]] std::int64_t position(std::int64_t n) const {
    return n / length * stride + offset + n % length;
  }
  bool operator==(const Share&) const = default;
};

/// What one worker computes: real tensors, or only their cost.
///
/// A learner lets the time of its work pass on the worker's Fabric. All buffers it hands out stay
/// valid and in place.
class Learner {
 public:
  using GradientReady = std::function<void(Payload bucket)>;

  virtual ~Learner() = default;

  /// All parameters, BatchNorm statistics included; what averaging exchanges.
  [[nodiscard]] virtual Payload parameters() = 0;
  /// All gradients.
  [[nodiscard]] virtual Payload gradients() = 0;
  /// The gradients cut into buckets, in the order in which backward finishes them.
  [[nodiscard]] virtual std::vector<Payload> buckets() = 0;

  /// An epoch begins: a new shuffle, the same for all workers, and the epoch's learning rate.
  virtual void begin_epoch(std::int64_t epoch) = 0;
  /// This epoch's samples are these positions of its shuffle.
  virtual void use_shuffled(const Share& share) = 0;
  /// Losses recorded since the last epoch began, as (sample index, loss) pairs.
  [[nodiscard]] virtual Payload recorded_losses() = 0;
  /// Root only: draws the sample indices of an epoch from the losses gathered so far: first those
  /// of fast workers, then of slow ones. They come in the order of the epoch's shuffle (slow
  /// workers: of a shuffle of their own), so that alpha = 0 is no bias. Of a sample that several
  /// workers have trained on, the latest loss counts.
  virtual void draw(const BiasedDraw& draw) = 0;
  /// Where gathered losses arrive: room for `samples` (index, loss) pairs.
  [[nodiscard]] virtual Payload gathered_losses(std::int64_t samples) = 0;
  /// The indices that draw() made on the root, to be broadcast.
  [[nodiscard]] virtual Payload drawn_indices(const BiasedDraw& draw) = 0;
  /// This epoch's samples are these positions of the drawn indices.
  virtual void use_drawn(const Share& share) = 0;

  /// Loads the next batch and computes its mean gradient. A batch of 0 samples leaves zero
  /// gradients and takes no time.
  virtual void forward_backward(std::int64_t batch) = 0;
  /// The same, and calls `ready` for each bucket as soon as its gradients are final.
  virtual void forward_backward(std::int64_t batch, const GradientReady& ready) = 0;
  /// The optimizer's update.
  virtual void step() = 0;
  /// `steps` times: forward_backward(batch), step().
  virtual void train(std::int64_t steps, std::int64_t batch) = 0;
  /// Seconds of one batch (forward + backward + step), measured before training; takes the time it
  /// measures.
  [[nodiscard]] virtual double benchmark(std::int64_t batch) = 0;
};

}  // namespace epochcast
