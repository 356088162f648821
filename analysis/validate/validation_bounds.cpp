// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cmath>

#include "analysis/validate/validation.hpp"
#include "base/statistics/spread.hpp"

namespace epochcast {
namespace {

/// Figures are ratios of doubles: equal ones differ by some 1e-16.
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
  if (bounds == ValidationBounds()) return {};
  if (summary.failed > 0) {
    problems.push_back(std::to_string(summary.failed) + " of " +
                       std::to_string(summary.configurations + summary.failed) +
                       " configurations failed: there is no bound that these keep");
  }
  if (summary.configurations == 0) {
    problems.emplace_back("no configuration has both a forecast and a measurement");
    return problems;
  }
  const auto check_most = [&](const std::string& what,
                              double value,
                              const std::optional<double>& bound,
                              bool is_share) {
    if (bound && value > *bound + kRounding)
      problems.push_back(sentence(what, value, *bound, is_share, "above"));
  };
  const auto check_least = [&](const std::string& what,
                               double value,
                               const std::optional<double>& bound,
                               bool is_share) {
    if (bound && value < *bound - kRounding)
      problems.push_back(sentence(what, value, *bound, is_share, "below"));
  };
  check_most("the median error", summary.median_error, bounds.median_error, true);
  check_most("the error of 95 % of the configurations", summary.p95_error, bounds.p95_error, true);
  check_most(
      "the worst error (" + summary.worst + ")", summary.worst_error, bounds.worst_error, true);
  check_most("the phases' error of 90 % of the configurations",
             summary.p90_phase_error,
             bounds.p90_phase_error,
             true);
  if (bounds.tau && !summary.tau) {
    problems.emplace_back("there is no tau: no two rows of a group are distinguishable");
  }
  for (const GroupRanking& ranking : summary.rankings) {
    if (ranking.pairs > 0)
      check_least("the tau of " + ranking.group, ranking.tau, bounds.tau, false);
  }
  if (bounds.wrong_pairs && summary.pairs() == 0) {
    problems.emplace_back("there are no pairs: no two rows of a group are distinguishable");
  } else if (bounds.wrong_pairs) {
    check_most("the share of wrong pairs",
               static_cast<double>(summary.wrong_pairs()) / static_cast<double>(summary.pairs()),
               bounds.wrong_pairs,
               true);
  }
  if ((bounds.coverage || bounds.run_coverage || bounds.ks) && !summary.coverage) {
    problems.emplace_back("there is no coverage: no forecast has an interval");
    return problems;
  }
  check_least("the coverage", summary.coverage.value_or(1), bounds.coverage, true);
  check_least(
      "the coverage of single runs", summary.run_coverage.value_or(1), bounds.run_coverage, true);
  check_most("the Kolmogorov-Smirnov distance", summary.ks.value_or(0), bounds.ks, false);
  return problems;
}

}  // namespace epochcast
