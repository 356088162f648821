// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/learner.hpp"

namespace epochcast::real {

/// The numbers 0 ... samples - 1 in an order that depends on `seed` alone (Fisher and Yates).
[[nodiscard]] std::vector<std::int64_t> shuffled_samples(std::int64_t samples, std::uint64_t seed);

/// A sample's index and the loss it had when it was last trained on.
struct SampleLoss {
  std::int64_t sample = 0;
  float loss = 0;
};

/// The samples of an epoch of biased local SGD (arXiv 2508.08540): those of the fast workers, then
/// those of the slow ones.
///
/// The favoured workers get the ⌊α·n⌋ samples of highest recorded loss (ties: the lower index),
/// then what comes next in their order and was not chosen; the others get the first of theirs, be
/// they chosen or not ("separated"), or, in a disjoint draw, the first that nobody has. `losses`
/// holds one entry per sample that has ever been trained on; without any, nothing is chosen by
/// loss. Chosen samples are spread evenly over the favoured workers' part. Both orders hold every
/// sample once.
[[nodiscard]] std::vector<std::int64_t> draw_samples(const BiasedDraw& draw,
                                                     std::span<const SampleLoss> losses,
                                                     std::span<const std::int64_t> fast_order,
                                                     std::span<const std::int64_t> slow_order);

}  // namespace epochcast::real
