// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analysis/validate/validation.hpp"

// A validation's numbers as text, the same on the terminal and on the page.

namespace epochcast {

/// "3.2 %": a share with one decimal, from 1000 % on with none.
[[nodiscard]] std::string percent_text(double share);
/// "+3.2 %", "-0.4 %", "0.0 %".
[[nodiscard]] std::string signed_percent_text(double share);
/// "0.93"; "-" for none.
[[nodiscard]] std::string tau_text(const std::optional<double>& tau);
/// "10.1 s .. 10.5 s"; one time if both have the same text.
[[nodiscard]] std::string range_text(const Interval& range);

/// "9 configurations, 1 of them failed", as a heading of the rest.
[[nodiscard]] std::string count_text(const ValidationSummary& summary);
/// "median 1.2 %, 95 % within 4.8 %, worst 5.3 % (GROUP: POINT)"; "-" if there is none.
[[nodiscard]] std::string error_text(const ValidationSummary& summary);
/// "90 % of the configurations have none above 3.4 % of the epoch"; "-" if there is none.
[[nodiscard]] std::string phase_text(const ValidationSummary& summary);
/// "1 of 27 pairs is ranked wrongly; the fastest is right in 2 of 3 groups", of groups with two
/// rows and more; "-" without any.
[[nodiscard]] std::string pairs_text(const ValidationSummary& summary);
/// The same after "tau 0.93; ".
[[nodiscard]] std::string ranking_text(const ValidationSummary& summary);
/// "tau 0.93; 1 of 27 pairs is ranked wrongly; the fastest is right".
[[nodiscard]] std::string ranking_text(const GroupRanking& ranking);
/// "87.5 % of the measured medians and 84.0 % of 75 single runs are inside their forecast's
/// interval"; "-" without intervals.
[[nodiscard]] std::string coverage_text(const ValidationSummary& summary);
/// "Kolmogorov-Smirnov distance 0.21 between single runs and their forecasts"; "-" without
/// intervals.
[[nodiscard]] std::string spread_text(const ValidationSummary& summary);
/// "0.21"; "-" for none.
[[nodiscard]] std::string ks_text(const std::optional<double>& ks);

/// The summary of a tier as cells of a table, below kTierTitles.
[[nodiscard]] std::vector<std::string> tier_cells(const TierSummary& tier);
inline constexpr std::array kTierTitles = {
    "tier", "rows", "median error", "90 % within", "worst", "wrong pairs", "runs inside"};

}  // namespace epochcast
