// SPDX-License-Identifier: Apache-2.0
#include "analysis/validate/validation_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/statistics/spread.hpp"
#include "base/text/units.hpp"

namespace epochcast {
namespace {

std::string wrong_text(std::size_t wrong, std::size_t pairs) {
  if (pairs == 0) return "no pair is distinguishable";
  return std::to_string(wrong) + " of " + std::to_string(pairs) +
         (pairs == 1 ? " pair " : " pairs ") + (wrong == 1 ? "is" : "are") + " ranked wrongly";
}

std::string plural(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace

std::string percent_text(double share) {
  return format_percent(share, std::abs(100 * share) < 999.95 ? 1 : 0);
}

std::string signed_percent_text(double share) {
  const double percent = 100 * share;
  if (std::abs(percent) < 0.05) return "0.0 %";
  return (percent > 0 ? "+" : "") + percent_text(share);
}

std::string tau_text(const std::optional<double>& tau) {
  return tau ? fmt::format("{:.2f}", *tau) : "-";
}

std::string range_text(const Interval& range) {
  const std::string low = format_seconds(range.low_s);
  const std::string high = format_seconds(range.high_s);
  return low == high ? low : low + " .. " + high;
}

std::string count_text(const ValidationSummary& summary) {
  return plural(summary.configurations + summary.failed, "configuration") +
         (summary.failed > 0 ? ", " + std::to_string(summary.failed) + " of them failed" : "");
}

std::string error_text(const ValidationSummary& summary) {
  if (summary.configurations == 0) return "-";
  return "median " + percent_text(summary.median_error) + ", 95 % within " +
         percent_text(summary.p95_error) + ", worst " + percent_text(summary.worst_error) + " (" +
         summary.worst + ")";
}

std::string phase_text(const ValidationSummary& summary) {
  if (summary.configurations == 0) return "-";
  return "90 % of the configurations have none above " + percent_text(summary.p90_phase_error) +
         " of the epoch";
}

std::string pairs_text(const ValidationSummary& summary) {
  std::size_t groups = 0;
  std::size_t right = 0;
  for (const GroupRanking& ranking : summary.rankings) {
    if (ranking.rows < 2) continue;
    ++groups;
    if (ranking.is_best_right) ++right;
  }
  if (groups == 0) return "-";
  return wrong_text(summary.wrong_pairs(), summary.pairs()) + "; the fastest is right in " +
         std::to_string(right) + " of " + plural(groups, "group");
}

std::string ranking_text(const ValidationSummary& summary) {
  return (summary.tau ? "tau " + tau_text(summary.tau) + "; " : "") + pairs_text(summary);
}

std::string ranking_text(const GroupRanking& ranking) {
  if (ranking.rows < 2) return "-";
  return "tau " + tau_text(ranking.tau) + "; " + wrong_text(ranking.wrong_pairs, ranking.pairs) +
         "; the fastest is " + (ranking.is_best_right ? "right" : "wrong");
}

std::string coverage_text(const ValidationSummary& summary) {
  if (!summary.coverage) return "-";
  const std::string of_runs = summary.run_coverage ? " and " + percent_text(*summary.run_coverage) +
                                                         " of " + plural(summary.runs, "single run")
                                                   : "";
  return percent_text(*summary.coverage) + " of the measured medians" + of_runs +
         " are inside their forecast's interval";
}

std::string spread_text(const ValidationSummary& summary) {
  if (!summary.ks) return "-";
  return "Kolmogorov-Smirnov distance " + ks_text(summary.ks) +
         " between single runs and their forecasts";
}

std::string ks_text(const std::optional<double>& ks) { return tau_text(ks); }

std::vector<std::string> tier_cells(const TierSummary& tier) {
  const ValidationSummary& all = tier.summary;
  const bool has_errors = all.configurations > 0;
  const auto share = [](std::size_t part, std::size_t whole) {
    return whole == 0 ? "-" : std::to_string(part) + " of " + std::to_string(whole);
  };
  return {std::string(to_string(tier.tier)),
          std::to_string(all.configurations),
          has_errors ? percent_text(all.median_error) : "-",
          has_errors ? percent_text(all.p90_error) : "-",
          has_errors ? percent_text(all.worst_error) : "-",
          share(all.wrong_pairs(), all.pairs()),
          share(all.runs_inside, all.runs)};
}

}  // namespace epochcast
