// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "core/fabric.hpp"

namespace epochcast {

/// Positions of an epoch's order of samples that one worker trains on: [i·stride + offset, i·stride
/// + offset + length) for i = 0 ... count - 1. Chunk i of all workers together is what the job
/// trains on between two exchanges, so P workers train on the same samples as one worker with their
/// joint batch.
struct Share {
  std::int64_t offset = 0;
  std::int64_t length = 0;
  std::int64_t stride = 0;
  std::int64_t count = 0;
  /// The completed share of the epoch before and after it, for the learning rate.
  double epoch_begin = 0;
  double epoch_end = 1;

  /// Samples of the share.
  [[nodiscard]] std::int64_t samples() const { return length * count; }
  /// Position of the share's n-th sample.
  [[nodiscard]] std::int64_t position(std::int64_t n) const {
    return n / length * stride + offset + n % length;
  }
  bool operator==(const Share&) const = default;
};

/// The i-th of so many parts of a batch, which are as equal as they can be and sum to it.
[[nodiscard]] constexpr std::int64_t part_of(std::int64_t batch,
                                             std::int64_t parts,
                                             std::int64_t i) {
  return batch * (i + 1) / parts - batch * i / parts;
}

/// The shapes of tensors that follow each other.
using TensorShapes = std::vector<std::vector<std::int64_t>>;

/// The losses of samples, added up.
struct LossSum {
  double sum = 0;
  double samples = 0;
};

/// Actions of a strategy between the layers of a pass. Layers are those of a bucket of gradients,
/// by its place in Learner::buckets(): forward passes go from the last one to the first.
struct LayerHooks {
  using Hook = std::function<void(std::size_t bucket)>;
  Hook before_forward = {};   ///< its parameters are about to be read
  Hook before_backward = {};  ///< the same, in backward
  Hook after_backward = {};   ///< its gradients are final
};

/// Is told of work on exchanged numbers.
class KernelObserver {
 public:
  virtual ~KernelObserver() = default;
  /// A kernel, such as one that compresses numbers, has read and written so many bytes of memory.
  /// Where numbers are computed in real time, it has taken its time already.
  virtual void kernel(std::string_view /*what*/, double /*moved_bytes*/) {}
};

/// The computation of one worker: real tensors, or only their cost.
///
/// A batch is the set of samples between two steps of the worker's optimizer. If gradients are
/// accumulated, it passes the network in parts (part_of()), whose gradients add up to that of the
/// batch.
///
/// A learner advances the clock of the worker's Fabric by the time of its work. All buffers it
/// hands out stay valid and in place.
class Learner : public KernelObserver {
 public:
  using GradientReady = std::function<void(Payload bucket)>;

  /// All parameters, BatchNorm statistics included; averaging exchanges these.
  [[nodiscard]] virtual Payload parameters() = 0;
  /// All gradients.
  [[nodiscard]] virtual Payload gradients() = 0;
  /// The gradients cut into buckets, in the order in which backward finishes them.
  [[nodiscard]] virtual std::vector<Payload> buckets() = 0;
  /// The tensors of each of buckets(), in the order of its numbers. Empty: unknown.
  [[nodiscard]] virtual std::vector<TensorShapes> bucket_tensors() { return {}; }

  /// An epoch begins: a new shuffle, the same for all workers, and the epoch's learning rate.
  virtual void begin_epoch(std::int64_t epoch) = 0;
  /// The next samples are these positions of the epoch's shuffle.
  virtual void use_shuffled(const Share& share) = 0;

  /// Loads the next batch and computes its mean gradient. A batch of 0 samples leaves zero
  /// gradients and takes no time.
  virtual void forward_backward(std::int64_t batch) = 0;
  /// The same, and calls `ready` for each bucket as soon as its gradients are final.
  virtual void forward_backward(std::int64_t batch, const GradientReady& ready) = 0;
  /// The same, with hooks between the layers. A learner that computes numbers calls those before
  /// layers when the whole pass begins.
  virtual void forward_backward(std::int64_t batch, const LayerHooks& hooks) = 0;
  /// The optimizer's update.
  virtual void step() = 0;
  /// The optimizer's update of some parameters: `count` from the `begin`-th on, in the order of
  /// gradients(). A step of several parts ends with the last one. Each step has the same parts;
  /// parameters in none of them keep their values, and have no state of the optimizer.
  virtual void step_part(std::int64_t begin, std::int64_t count, bool is_last) = 0;
  /// The optimizer's update of the parameters from the `begin`-th on with these gradients, which
  /// another worker has computed, at `rate` times the learning rate. `epoch_share`: the completed
  /// share of the epoch after it. Each call has the same part; as in step_part(), others have no
  /// state of the optimizer.
  virtual void apply(Payload gradients, std::int64_t begin, double rate, double epoch_share) = 0;
  /// `steps` times: forward_backward(batch), step().
  virtual void train(std::int64_t steps, std::int64_t batch) = 0;
  /// The learning rate of the last step; 0 in worlds without numbers.
  [[nodiscard]] virtual double learning_rate() const { return 0; }
  /// The losses of the samples trained on since the epoch began; none in worlds without numbers.
  [[nodiscard]] virtual LossSum loss_sum() const { return {}; }
  /// Seconds of one batch (forward + backward + step), measured before training; takes the time it
  /// measures.
  [[nodiscard]] virtual double benchmark(std::int64_t batch) = 0;
};

}  // namespace epochcast
