// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "base/statistics/random.hpp"
#include "core/costs/batch_cost.hpp"
#include "core/costs/block_bootstrap.hpp"
#include "core/costs/buckets.hpp"
#include "core/costs/kernel_cost.hpp"
#include "core/formats/network.hpp"
#include "core/loss_sampling.hpp"

namespace epochcast {

/// A learner of a simulated job: every operation advances the fabric's clock by its measured cost,
/// and no parameters change.
class CostLearner : public SamplingLearner {
 public:
  struct Options {
    /// Of the BlockBootstrap that draws measured samples, anew for each epoch; without one, costs
    /// are medians.
    std::optional<std::uint64_t> seed;
    std::int64_t accumulate = 1;      ///< parts in which a batch is computed
    StateShares kept;                 ///< of the model's state, for the worker's memory
    KernelCost kernels;               ///< of the job's compression
    double loading_s_per_sample = 0;  ///< of the worker's loader, which works all the time
  };

  /// All references must outlive the learner.
  CostLearner(Fabric& fabric,
              const Network& network,
              const BatchCost& cost,
              const std::vector<Bucket>& buckets,
              Options options);

  Payload parameters() override;
  Payload gradients() override;
  std::vector<Payload> buckets() override;
  std::vector<TensorShapes> bucket_tensors() override;

  void begin_epoch(std::int64_t epoch) override;
  void use_shuffled(const Share& share) override;
  Payload recorded_losses() override;
  void draw(const BiasedDraw& draw) override;
  Payload gathered_losses(std::int64_t samples) override;
  Payload drawn_indices(const BiasedDraw& draw) override;
  void use_drawn(const Share& share) override;

  void forward_backward(std::int64_t batch) override;
  void forward_backward(std::int64_t batch, const GradientReady& ready) override;
  void forward_backward(std::int64_t batch, const LayerHooks& hooks) override;
  void step() override;
  void step_part(std::int64_t begin, std::int64_t count, bool is_last) override;
  void apply(Payload gradients, std::int64_t begin, double rate, double epoch_share) override;
  void train(std::int64_t steps, std::int64_t batch) override;
  double benchmark(std::int64_t batch) override;
  void kernel(std::string_view what, double moved_bytes) override;

  /// The most seconds that compressing has taken from one batch to the next.
  [[nodiscard]] double most_kernel_s() const { return std::max(most_kernel_s_, kernel_s_); }

 private:
  void begin_batch();
  /// Costs of the next forward and backward pass of these samples, and of the step after it; the
  /// pass begins `after_s` from now.
  BatchTimes next(std::int64_t samples, double after_s = 0);
  /// Seconds until the loader has a batch that is needed `after_s` from now. It loads the next one
  /// when this one is taken.
  double wait_for_loader(std::int64_t samples, double after_s);
  /// One pass through all layers. A layer's share of the forward pass is that of backward.
  void pass(const BatchTimes& times, const LayerHooks& hooks);
  /// Computes all parts of a batch but the last, and returns the costs of the last one.
  BatchTimes last_part(std::int64_t batch);
  /// Seconds of the batch, all parts and a step, that begins `after_s` from now.
  double whole(std::int64_t batch, double after_s);
  /// Gradients that have so many bytes as they are exchanged.
  [[nodiscard]] Payload gradients_of(double bytes) const;
  void check_memory(std::int64_t samples);
  /// The largest batch below `above` that fits into the device's memory; 0: none.
  [[nodiscard]] std::int64_t most_samples(std::int64_t above) const;

  Fabric& fabric_;
  const Network& network_;
  const BatchCost& cost_;
  const std::vector<Bucket>& buckets_;
  Options options_;
  std::optional<BlockBootstrap> bootstrap_;
  std::int64_t drawn_batches_ = 0;  ///< in this epoch, counted in parts
  double pending_step_s_ = 0;
  double kernel_s_ = 0;  ///< since the last batch began
  double most_kernel_s_ = 0;
  /// When the loader began its batch, without omitted iterations; none before an epoch's first.
  double loading_since_s_ = 0;
  std::int64_t trained_samples_ = 0;
  std::int64_t largest_batch_ = 0;  ///< that fits into memory
};

}  // namespace epochcast
