// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace epochcast::sim {

/// Half of the 95 % confidence interval of a mean that suffices, relative to the mean.
inline constexpr double kMeanTolerance = 0.02;

/// Half of the 95 % confidence interval of the mean of independent samples, at least two, relative
/// to their mean.
[[nodiscard]] double relative_half_width(std::span<const double> samples);

/// Whether the mean of a quantity of which these are independent samples is known well enough, by
/// Student's distribution.
[[nodiscard]] bool is_mean_known(std::span<const double> samples);

}  // namespace epochcast::sim
