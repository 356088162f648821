// SPDX-License-Identifier: Apache-2.0
#include "analysis/validate/repetition_rule.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <vector>

#include "core/spread.hpp"

namespace epochcast {
namespace {

constexpr int kMostTimesAsOften = 4;
constexpr double kConfidence = 0.95;  // of either side

/// ln(measured / forecast) of each run; of measured alone where all runs share a forecast.
std::vector<double> logarithms(const ValidationRow& row) {
  std::vector<double> logs;
  for (std::size_t i = 0; i < row.measured.size(); ++i) {
    const bool has_own = i < row.own_forecasts.size();
    logs.push_back(std::log(row.measured[i].epoch_s) -
                   (has_own ? std::log(row.own_forecasts[i].epoch_s) : 0));
  }
  return logs;
}

}  // namespace

std::optional<double> doubt_of_error(const ValidationRow& row, std::size_t runs_of_each) {
  const std::vector<double> logs = logarithms(row);
  std::vector<double> means;
  const auto length = static_cast<std::ptrdiff_t>(runs_of_each);
  for (auto begin = logs.begin(); logs.end() - begin >= length; begin += length)
    means.push_back(mean_of({begin, begin + length}));
  if (means.size() < 2) return std::nullopt;
  const auto count = static_cast<double>(means.size());
  const boost::math::students_t distribution(count - 1);
  return boost::math::quantile(distribution, kConfidence) * deviation_of(means) / std::sqrt(count);
}

int RepetitionRule::most() const { return kMostTimesAsOften * least; }

bool RepetitionRule::wants_another(const ValidationRow& row, int done, int runs_of_each) const {
  // A row whose first run has failed would fail again.
  if (row.measured.empty() && !row.problems.empty()) return false;
  if (done < least) return true;
  if (done >= most()) return false;
  const auto doubt = doubt_of_error(row, static_cast<std::size_t>(runs_of_each));
  // Not a number where something took 0 s: more of it would not help.
  return doubt && *doubt > precision;
}

}  // namespace epochcast
