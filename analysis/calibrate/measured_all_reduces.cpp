// SPDX-License-Identifier: Apache-2.0
#include "analysis/calibrate/measured_all_reduces.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/calibrate/message_points.hpp"
#include "base/statistics/spread.hpp"
#include "base/text/units.hpp"

namespace epochcast {
namespace {

/// The deviation of another session from the mean of these: the standard deviation of the logarithm
/// between sessions and, for S sessions, 1 / sqrt(S) of it for their mean. For one session: the
/// deviation of its samples, or of messages, whichever is larger.
double deviation_of_sessions(const MessagePoint& point, double uncertainty) {
  if (point.session_s.size() < 2) return std::max(point.deviation, uncertainty);
  std::vector<double> logarithms;
  for (const double seconds : point.session_s) logarithms.push_back(std::log(seconds));
  return deviation_of(logarithms) * std::sqrt(1 + 1 / static_cast<double>(logarithms.size()));
}

std::vector<MessagePoint> all_reduces_by(const std::string& algorithm,
                                         MessageTrace trace,
                                         const std::string& scope) {
  std::erase_if(trace.costs, [&](const MessageCost& cost) { return cost.algorithm != algorithm; });
  return points_of(trace, "all-reduce", scope);
}

}  // namespace

std::vector<MeasuredAllReduce> measured_all_reduces(const MessageTrace& trace,
                                                    const std::vector<AllReduceCheck>& checks,
                                                    const std::vector<AllReduceCheck>& larger,
                                                    const std::string& scope,
                                                    int ranks,
                                                    double uncertainty) {
  const auto kept_s = [](double seconds) { return rounded_quantity(seconds, Dimension::seconds); };
  std::vector<std::string> algorithms;
  for (const AllReduceCheck& check : checks) {
    const std::string& name = check.all_reduce.algorithm;
    if (check.all_reduce.scope == scope &&
        std::find(algorithms.begin(), algorithms.end(), name) == algorithms.end())
      algorithms.push_back(name);
  }
  std::vector<MeasuredAllReduce> measured;
  for (const std::string& algorithm : algorithms) {
    for (const MessagePoint& point : all_reduces_by(algorithm, trace, scope)) {
      const auto check = std::find_if(checks.begin(), checks.end(), [&](const auto& each) {
        return each.all_reduce.scope == scope && each.all_reduce.algorithm == algorithm &&
               each.all_reduce.bytes == point.bytes;
      });
      constexpr double kDigits = 1e6;
      const double deviation = deviation_of_sessions(point, uncertainty);
      measured.push_back(
          {.algorithm = algorithm,
           .bytes = point.bytes,
           .measured_s = kept_s(point.seconds),
           .forecast_s = kept_s(check->forecast_s),
           .ranks = ranks,
           .deviation = std::round(kDigits * std::min(kMostUncertainty, deviation)) / kDigits});
    }
    const MeasuredAllReduce largest = measured.back();
    for (const AllReduceCheck& check : larger) {
      if (check.all_reduce.scope != scope || check.all_reduce.algorithm != algorithm) continue;
      MeasuredAllReduce more = largest;
      more.bytes = check.all_reduce.bytes;
      more.measured_s = kept_s(largest.measured_s * more.bytes / largest.bytes);
      more.forecast_s = kept_s(check.forecast_s);
      more.is_extrapolated = true;
      measured.push_back(more);
    }
  }
  return measured;
}

}  // namespace epochcast
