// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "core/costs/batch_cost.hpp"
#include "core/costs/buckets.hpp"
#include "core/costs/weather.hpp"
#include "core/formats/network.hpp"
#include "core/loss_sampling.hpp"
#include "core/random.hpp"

namespace epochcast {

/// Learns nothing, but takes as long: every operation lets its measured cost pass on the fabric's
/// clock.
class CostLearner : public SamplingLearner {
 public:
  /// `seed`: costs are those of the samples at the places that the seed's Weather tells, each
  /// epoch's alike whatever came before; without one they are medians. Batches are computed in `accumulate` parts. All
  /// references must outlive the learner.
  CostLearner(Fabric& fabric,
              const Network& network,
              const BatchCost& cost,
              const std::vector<Bucket>& buckets,
              std::optional<std::uint64_t> seed,
              std::int64_t accumulate = 1);

  Payload parameters() override;
  Payload gradients() override;
  std::vector<Payload> buckets() override;

  void begin_epoch(std::int64_t epoch) override;
  void use_shuffled(const Share& share) override;
  Payload recorded_losses() override;
  void draw(const BiasedDraw& draw) override;
  Payload gathered_losses(std::int64_t samples) override;
  Payload drawn_indices(const BiasedDraw& draw) override;
  void use_drawn(const Share& share) override;

  void forward_backward(std::int64_t batch) override;
  void forward_backward(std::int64_t batch, const GradientReady& ready) override;
  void step() override;
  void train(std::int64_t steps, std::int64_t batch) override;
  double benchmark(std::int64_t batch) override;

 private:
  /// What passing the next samples through the network costs, with a step behind it.
  BatchTimes next(std::int64_t samples);
  /// Computes all parts of a batch but the last, and returns what that costs.
  BatchTimes last_part(std::int64_t batch);
  /// Seconds of the next batch, all parts and a step.
  double whole(std::int64_t batch);
  void check_memory(std::int64_t samples);

  Fabric& fabric_;
  const Network& network_;
  const BatchCost& cost_;
  const std::vector<Bucket>& buckets_;
  std::optional<std::uint64_t> seed_;
  std::int64_t accumulate_;
  std::optional<Weather> weather_;
  std::int64_t under_weather_ = 0;  ///< parts of batches so far
  double pending_step_s_ = 0;
  std::int64_t trained_samples_ = 0;
  std::int64_t largest_batch_ = 0;  ///< known to fit
};

}  // namespace epochcast
