// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/spread.hpp"

namespace epochcast {

/// What can be said of settings that were tried with the same seeds.

/// With which confidence the first values are larger than the others on average, seed by seed: 1 -
/// p of a one-sided paired t test. 0.5 where one seed cannot tell. Both as long.
[[nodiscard]] double confidence_of_more(const std::vector<double>& first,
                                        const std::vector<double>& others);

/// The probability that guessing among so many classes, each as likely, is right at least as often
/// as this accuracy of so many samples says: p of a one-sided exact binomial test (Conover,
/// Practical Nonparametric Statistics, 3rd edition, section 3.1). Accuracies between two counts, as
/// means are, count as the lower one.
[[nodiscard]] double p_of_chance(double accuracy, std::int64_t samples, std::int64_t classes);

/// With which confidence the first accuracy is above the other one, each of so many test samples: 1
/// - p of Fisher's exact test, one-sided (Conover, section 4.1). It knows nothing of what another
/// seed would give. That both are of the same samples makes it careful.
[[nodiscard]] double confidence_of_more_correct(double first, double other, std::int64_t samples);

/// By how much the means of two rows must differ for one to be the larger with this confidence: the
/// least significant difference of a randomised complete block design, one-sided, for one
/// comparison. Rows are settings, columns seeds. Infinite where nothing can tell: one row, one
/// seed. Of ranks, it is the multiple comparison of Conover's that goes with Friedman's test
/// (Practical Nonparametric Statistics, 3rd edition, section 5.8).
[[nodiscard]] double least_significant_difference(const std::vector<std::vector<double>>& rows,
                                                  double confidence);

/// The rank of each value among those of its column: 1 for the lowest; equal ones share theirs.
[[nodiscard]] std::vector<std::vector<double>> ranks_by_column(
    const std::vector<std::vector<double>>& rows);

}  // namespace epochcast
