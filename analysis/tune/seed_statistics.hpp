// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/statistics/spread.hpp"

namespace epochcast {

/// Statistics of settings that were tried with the same seeds.

/// The confidence that the first values are larger than the others on average, seed by seed: 1 - p
/// of a one-sided paired t test. 0.5 for one seed. Both have the same length.
[[nodiscard]] double confidence_of_more(const std::vector<double>& first,
                                        const std::vector<double>& others);

/// The probability that uniform guessing among this number of classes reaches at least this
/// accuracy on this number of samples: p of a one-sided exact binomial test (Conover, Practical
/// Nonparametric Statistics, 3rd edition, section 3.1). Accuracies between two counts, as means
/// are, count as the lower one.
[[nodiscard]] double p_of_chance(double accuracy, std::int64_t samples, std::int64_t classes);

/// The confidence that the first accuracy is above the other one, each of `samples` test samples:
/// one minus p of Fisher's exact test, one-sided (Conover, section 4.1). It does not include
/// differences between seeds. It is conservative, since both use the same samples.
[[nodiscard]] double confidence_of_more_correct(double first, double other, std::int64_t samples);

}  // namespace epochcast
