// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/formats/cost_trace.hpp"

namespace epochcast {

/// Statistics of a trace for one batch size. A series is the samples of one rank in one session.
/// Seconds and ratios are of the samples after each series' warm-up.
struct CostRow {
  std::string device;
  std::string network;
  std::vector<std::int64_t> input;  ///< shape of a sample
  std::int64_t batch = 0;
  std::size_t sessions = 0;
  std::size_t ranks = 0;     ///< the most in one session
  std::size_t samples = 0;   ///< including the warm-up
  std::size_t trimmed = 0;   ///< of these: warm-up
  std::size_t unsteady = 0;  ///< series whose level changes after their warm-up
  double median_s = 0;
  double p5_s = 0;   ///< 5 % of the samples are below
  double p95_s = 0;  ///< 5 % of the samples are above
  /// Samples above their series' median + 6·1.4826·MAD, the median absolute deviation: six standard
  /// deviations if the samples were normal. They count in all other figures.
  std::size_t outliers = 0;
  double longest_s = 0;
  /// Median of the last third of a series over that of its first third: of all series, the ratio
  /// farthest from 1.
  double drift = 1;
  double session_spread = 1;  ///< largest over smallest median of a session
  /// Largest over smallest median of a rank in one session; the median over sessions.
  double rank_spread = 1;
};

/// One row for each batch size, ascending.
[[nodiscard]] std::vector<CostRow> cost_rows(const CostTrace& trace);

}  // namespace epochcast
