// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cmath>

#include "analysis/validate/validation.hpp"
#include "core/spread.hpp"

namespace epochcast {
namespace {

/// Figures are ratios of doubles: what is equal on paper is equal to some 1e-16.
constexpr double kRounding = 1e-12;

/// "12.00 %", or "0.90" for a plain number.
std::string shown(double value, bool is_share) {
  return is_share ? format_percent(value, 2) : fmt::format("{:.2f}", value);
}

/// "the median error is 5.00 %, 2.00 points above the bound of 3.00 %".
std::string sentence(
    const std::string& what, double value, double bound, bool is_share, const char* direction) {
  const double distance = std::abs(value - bound);
  return what + " is " + shown(value, is_share) + ", " +
         (is_share ? shown(100 * distance, false) + " points" : shown(distance, false)) + " " +
         direction + " the bound of " + shown(bound, is_share);
}

}  // namespace

std::vector<std::string> exceeded(const ValidationSummary& summary,
                                  const ValidationBounds& bounds) {
  std::vector<std::string> problems;
  if (!bounds.median_error && !bounds.worst_error && !bounds.tau && !bounds.coverage) return {};
  if (summary.failed > 0) {
    problems.push_back(std::to_string(summary.failed) + " of " +
                       std::to_string(summary.configurations + summary.failed) +
                       " configurations failed: there is no bound that these keep");
  }
  if (summary.configurations == 0) {
    problems.emplace_back("no configuration has both a forecast and a measurement");
    return problems;
  }
  if (bounds.median_error && summary.median_error > *bounds.median_error + kRounding) {
    problems.push_back(
        sentence("the median error", summary.median_error, *bounds.median_error, true, "above"));
  }
  if (bounds.worst_error && summary.worst_error > *bounds.worst_error + kRounding) {
    problems.push_back(sentence("the worst error (" + summary.worst + ")",
                                summary.worst_error,
                                *bounds.worst_error,
                                true,
                                "above"));
  }
  if (bounds.tau && !summary.tau) {
    problems.emplace_back("there is no tau: no two rows of a group can be told apart");
  }
  for (const GroupRanking& ranking : summary.rankings) {
    if (!bounds.tau || ranking.pairs == 0 || ranking.tau >= *bounds.tau - kRounding) continue;
    problems.push_back(
        sentence("the tau of " + ranking.group, ranking.tau, *bounds.tau, false, "below"));
  }
  if (bounds.coverage && !summary.coverage) {
    problems.emplace_back("there is no coverage: no forecast has an interval");
  } else if (bounds.coverage && *summary.coverage < *bounds.coverage - kRounding) {
    problems.push_back(
        sentence("the coverage", *summary.coverage, *bounds.coverage, true, "below"));
  }
  return problems;
}

}  // namespace epochcast
