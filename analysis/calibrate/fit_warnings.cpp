// SPDX-License-Identifier: Apache-2.0
#include "analysis/calibrate/fit_warnings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/text/units.hpp"

namespace epochcast {
namespace {

/// "1.5": one standard deviation of logarithms as a factor.
std::string factor_text(double deviation) { return fmt::format("{:.3g}", std::exp(deviation)); }

double square(double value) { return value * value; }

}  // namespace

double uncertainty_of(const std::vector<MessagePoint>& points, const MessageCosts& costs) {
  double sum = 0;
  double count = 0;
  for (const MessagePoint& point : points) {
    if (point.bytes < kLargeMessageBytes) continue;
    const double spread = point.session_s.size() > 1 ? 0 : point.deviation;
    for (const double seconds : point.session_s) {
      sum += square(std::log(costs.message_s(point.bytes) / seconds)) + square(spread);
      ++count;
    }
  }
  return count > 0 ? std::sqrt(sum / count) : 0;
}

void check_fit(const std::string& where,
               const std::vector<MessagePoint>& points,
               const MessageCosts& costs) {
  const double largest_bytes = points.back().bytes;
  if (largest_bytes < kLargeMessageBytes)
    throw UserError(
        where + " have " + format_bytes(largest_bytes) +
        " at most; expected some of 65536 B or more, which show the bandwidth of a link");
  const double largest_s = costs.message_s(largest_bytes);
  constexpr double kLeastGrowth = 0.1;
  if (largest_bytes / costs.regime(largest_bytes).bytes_per_s < kLeastGrowth * largest_s)
    throw UserError(where + " take " + format_seconds(largest_s) + " up to " +
                    format_bytes(largest_bytes) +
                    ", whatever their size; measure larger ones, too, which show the bandwidth "
                    "of a link, or measure again, on a quiet machine");
  double sum = 0;
  for (const MessagePoint& point : points)
    sum += square(std::log(costs.message_s(point.bytes) / point.seconds));
  const double misfit = std::sqrt(sum / static_cast<double>(points.size()));
  if (!(misfit <= kMostUncertainty))
    throw UserError(where + " do not grow with their size: latency and bandwidth are off by a " +
                    "factor of " + factor_text(misfit) +
                    "; measure again, on a quiet machine or with more samples");
}

std::vector<std::string> warnings_of(const std::string& name,
                                     const std::vector<MessagePoint>& points) {
  constexpr double kFewestSamples = 3;
  constexpr double kStallsMatter = 1.1;
  constexpr double kFaster = 2;
  std::vector<std::string> warnings;
  if (std::any_of(points.begin(), points.end(), [](const MessagePoint& point) {
        return point.samples < kFewestSamples;
      }))
    warnings.push_back(name +
                       " of some sizes have one or two samples: how much they vary is not "
                       "known");
  double with_stalls = 0;
  for (const MessagePoint& point : points)
    with_stalls += point.with_stalls_s / point.seconds / static_cast<double>(points.size());
  if (with_stalls > kStallsMatter)
    warnings.push_back(name + " take " + factor_text(std::log(with_stalls)) +
                       " times as long with the machine's stalls, which are left out");
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    if (points[i].seconds <= kFaster * points[i + 1].seconds) continue;
    warnings.push_back(name + " of " + format_bytes(points[i + 1].bytes) +
                       " take less than half as long as those of " + format_bytes(points[i].bytes));
  }
  return warnings;
}

void check_uncertainty(const std::string& file, const std::string& name, MessageCosts& costs) {
  constexpr double kMuch = 0.25;
  const std::string factor = factor_text(costs.uncertainty);
  if (!(costs.uncertainty <= kMostUncertainty))
    throw UserError(file + ": " + name + " are off by a factor of " + factor +
                    " (one standard deviation: samples, sessions or all-reduces differ so much); "
                    "expected " +
                    factor_text(kMostUncertainty) +
                    " at most; measure again, on a quiet machine or with more samples");
  if (costs.uncertainty > kMuch)
    costs.notes.push_back(name + " are known within a factor of " + factor +
                          " only (one standard deviation): intervals are as wide; measure again, "
                          "on a quiet machine or with more samples");
}

}  // namespace epochcast
