// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/comparison.hpp"
#include "base/statistics/spread.hpp"

namespace epochcast {
namespace {

/// Figures are ratios of doubles: equal ones may differ by some 1e-16.
constexpr double kRoundingOfShares = 1e-12;

}  // namespace

std::vector<std::string> exceeded(const Comparison& comparison, const ComparisonBounds& bounds) {
  if (bounds == ComparisonBounds()) return {};
  std::vector<std::string> problems;
  for (const std::string& name : comparison.only_a)
    problems.push_back(name + ": is in A only, so there is no bound that B keeps");
  for (const ComparedPair& pair : comparison.pairs) {
    const auto check = [&](const std::optional<double>& more,
                           bool may_be_equal,
                           const std::optional<double>& bound,
                           const std::string& what,
                           const std::string& figure) {
      if (!bound || may_be_equal) return;
      if (!more) {
        problems.push_back(pair.name + ": " + figure + " cannot be compared");
      } else if (*more > *bound + kRoundingOfShares) {
        problems.push_back(pair.name + ": B " + what + " by " + format_percent(*more, 2) +
                           ", above the bound of " + format_percent(*bound, 2));
      }
    };
    const auto may_be_equal = [&](const std::optional<double>& a, const std::optional<double>& b) {
      return a && b && !pair.is_significant(*a, *b).value_or(true);
    };
    const auto& [a, b] = std::pair(pair.a, pair.b);
    check(pair.slower(), may_be_equal(a.time_s, b.time_s), bounds.slower, "is slower", "time");
    check(pair.costlier(), may_be_equal(a.cost, b.cost), bounds.costlier, "costs more", "cost");
    check(pair.more_energy(),
          may_be_equal(a.energy_j, b.energy_j),
          bounds.more_energy,
          "takes more energy",
          "energy");
    check(pair.more_bytes(), false, bounds.more_bytes, "sends more", "bytes");
  }
  return problems;
}

}  // namespace epochcast
