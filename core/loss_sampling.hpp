// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "core/learner.hpp"

namespace epochcast {

/// The samples that fast and slow workers of biased local SGD draw for an epoch (arXiv 2508.08540).
struct BiasedDraw {
  std::int64_t fast_samples = 0;   ///< drawn for all fast workers together
  std::int64_t slow_samples = 0;   ///< drawn for all slow workers together
  double alpha = 0;                ///< share of the favoured workers' samples taken by highest loss
  bool high_loss_to_slow = false;  ///< favour the slow workers instead
  bool disjoint = false;           ///< "unified" sampling: no sample is drawn by both
  /// By rank. They date the loss records of the last epoch: a worker's samples are proportional to
  /// its local steps, and all steps of a round take the same time.
  std::span<const std::int64_t> local_steps = {};
};

/// Draws samples by their losses, for biased local SGD.
class LossSampling {
 public:
  virtual ~LossSampling() = default;

  /// Losses recorded since the last epoch began, as (sample index, loss) pairs.
  [[nodiscard]] virtual Payload recorded_losses() = 0;
  /// Root only: draws the sample indices of an epoch from the losses gathered so far: first those
  /// of fast workers, then of slow ones. They come in the order of the epoch's shuffle (slow
  /// workers: of a shuffle of their own), so alpha = 0 has no bias. If several workers have trained
  /// on a sample, its latest loss counts.
  virtual void draw(const BiasedDraw& draw) = 0;
  /// The buffer for gathered losses: room for `samples` (index, loss) pairs.
  [[nodiscard]] virtual Payload gathered_losses(std::int64_t samples) = 0;
  /// The indices that draw() made on the root, to be broadcast.
  [[nodiscard]] virtual Payload drawn_indices(const BiasedDraw& draw) = 0;
  /// This epoch's samples are these positions of the drawn indices.
  virtual void use_drawn(const Share& share) = 0;
};

/// A learner that every strategy can train with.
class SamplingLearner : public Learner, public LossSampling {};

}  // namespace epochcast
