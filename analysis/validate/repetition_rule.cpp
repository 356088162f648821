// SPDX-License-Identifier: Apache-2.0
#include "analysis/validate/repetition_rule.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <vector>

#include "base/statistics/spread.hpp"

namespace epochcast {
namespace {

constexpr int kMostTimesAsOften = 4;
constexpr double kConfidence = 0.95;  // of either side

}  // namespace

std::optional<double> uncertainty_of_error(const ValidationRow& row) {
  if (row.measured.size() < 2) return std::nullopt;
  std::vector<double> logarithms;
  for (const RunResult& run : row.measured) logarithms.push_back(std::log(run.epoch_s));
  const auto count = static_cast<double>(logarithms.size());
  const boost::math::students_t distribution(count - 1);
  return boost::math::quantile(distribution, kConfidence) * deviation_of(logarithms) /
         std::sqrt(count);
}

int RepetitionRule::most() const { return kMostTimesAsOften * least; }

bool RepetitionRule::wants_another(const ValidationRow& row, int done) const {
  // A row whose first run has failed would fail again.
  if (row.measured.empty() && !row.problems.empty()) return false;
  if (done < least) return true;
  if (done >= most()) return false;
  const auto uncertainty = uncertainty_of_error(row);
  // Not a number if a run took 0 s: further runs would not help.
  return uncertainty && *uncertainty > precision;
}

}  // namespace epochcast
