// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "results/result.hpp"

// Single runs compared with the distributions of their forecasts.

namespace epochcast {

/// The share of the forecast's distribution below `measured_s`, 0 to 1. Shares of right forecasts
/// are uniform (the probability integral transform; Dawid, J. R. Stat. Soc. A 147, 1984). None for
/// a forecast without an interval.
///
/// A forecast has an epoch and 5 and 95 % quantiles. It is taken as log-normal on both sides, with
/// the epoch as the median and the sides' widths from the quantiles: Phi(1.645 ln(x / m) / ln(q95 /
/// m)) above m, likewise below. A side without width has all its weight at m.
[[nodiscard]] std::optional<double> share_below(const RunResult& forecast, double measured_s);

/// Kolmogorov-Smirnov distance of shares from the uniform distribution, 0 to 1: the largest
/// difference between the share of them that is at most u, and u (Massey, J. Am. Stat. Assoc. 46,
/// 1951). PRISM (arXiv 2510.15596) reports it for forecast and measured epochs. Of n shares it is
/// 1 / (2 n) at the least. None without shares.
[[nodiscard]] std::optional<double> ks_distance(std::vector<double> shares);

/// The least value that at least `share` of the values are at most; 0 for none.
[[nodiscard]] double at_most(std::vector<double> values, double share);

}  // namespace epochcast
