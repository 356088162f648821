// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/loss_sampling.hpp"

namespace epochcast::real {

/// The numbers 0 ... samples - 1 in an order that depends on `seed` alone (Fisher and Yates).
[[nodiscard]] std::vector<std::int64_t> shuffled_samples(std::int64_t samples, std::uint64_t seed);

/// A sample's index and the loss it had when it was last trained on.
struct SampleLoss {
  std::int64_t sample = 0;
  float loss = 0;
};

/// Keeps, by sample, the latest of the losses that workers have recorded in an epoch.
///
/// `records`: one worker's after the other's, each in the order of its training; sample -1: none. A
/// worker's part is in proportion to its local steps, and all train for equally long: of n records,
/// the i-th was made when i/n of the epoch was over.
void keep_latest(std::span<const SampleLoss> records,
                 std::span<const std::int64_t> local_steps,
                 std::vector<SampleLoss>& losses);

/// The samples of an epoch of biased local SGD (arXiv 2508.08540): those of the fast workers, then
/// those of the slow ones.
///
/// The favoured workers get the ⌊α·n⌋ samples of highest recorded loss (ties: the lower index),
/// then what comes next in their order and was not chosen; the others get the first of theirs,
/// whether chosen or not ("separated"), or, in a disjoint draw, the first that are not taken.
/// `losses` holds one entry per sample that has ever been trained on; without any, nothing is
/// chosen by loss. Chosen samples come in the order of the favoured workers' shuffle as well,
/// spread evenly over their part: the paper defines the samples, but not their order. Both orders
/// hold every sample once.
[[nodiscard]] std::vector<std::int64_t> draw_samples(const BiasedDraw& draw,
                                                     std::span<const SampleLoss> losses,
                                                     std::span<const std::int64_t> fast_order,
                                                     std::span<const std::int64_t> slow_order);

}  // namespace epochcast::real
