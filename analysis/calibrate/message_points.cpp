// SPDX-License-Identifier: Apache-2.0
#include "analysis/calibrate/message_points.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "base/statistics/spread.hpp"
#include "core/costs/batch_cost.hpp"
#include "core/job/setting_text.hpp"

namespace epochcast {
namespace {

/// The limit above which a sample is an outlier. `sorted` is not empty.
double fence_s(const std::vector<double>& sorted) {
  const double upper_s = quantile_of(sorted, 0.75);
  constexpr double kFarOut = 3;
  constexpr double kLeast = 1.5;
  return std::max(upper_s + kFarOut * (upper_s - quantile_of(sorted, 0.25)),
                  kLeast * quantile_of(sorted, 0.5));
}

/// Sorted, and without stalls. `samples_s` is not empty.
std::vector<double> usual_samples(std::vector<double> samples_s) {
  std::sort(samples_s.begin(), samples_s.end());
  const auto stall = std::upper_bound(samples_s.begin(), samples_s.end(), fence_s(samples_s));
  const auto most = std::max<std::ptrdiff_t>(1, static_cast<std::ptrdiff_t>(samples_s.size() / 10));
  if (samples_s.end() - stall <= most) samples_s.erase(stall, samples_s.end());
  return samples_s;
}

double deviation_of_logarithms(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  std::vector<double> logarithms;
  logarithms.reserve(values.size());
  for (const double value : values) logarithms.push_back(std::log(value));
  const double mean = mean_of(logarithms);
  double sum = 0;
  for (const double logarithm : logarithms) sum += (logarithm - mean) * (logarithm - mean);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

}  // namespace

double expected_s(std::vector<double> samples_s) {
  return samples_s.empty() ? 0 : mean_of(usual_samples(std::move(samples_s)));
}

std::vector<MessagePoint> points_of(const MessageTrace& trace,
                                    const std::string& kind,
                                    const std::string& scope,
                                    const std::vector<int>& nodes) {
  std::map<std::int64_t, std::vector<const MessageCost*>> sessions_of;  // by bytes
  for (const MessageCost& cost : trace.costs) {
    if (cost.kind == kind && cost.scope == scope && cost.nodes == nodes &&
        median_of(cost.samples_s) > 0)
      sessions_of[cost.bytes].push_back(&cost);
  }
  std::vector<MessagePoint> points;
  for (const auto& [bytes, sessions] : sessions_of) {
    MessagePoint point = {.bytes = static_cast<double>(bytes), .samples = 0};
    std::vector<double> sorted;
    std::vector<double> usual;
    for (const MessageCost* cost : sessions) {
      const std::vector<double> of_session = usual_samples(cost->samples_s);
      point.session_s.push_back(mean_of(of_session));
      usual.insert(usual.end(), of_session.begin(), of_session.end());
      sorted.insert(sorted.end(), cost->samples_s.begin(), cost->samples_s.end());
    }
    std::sort(sorted.begin(), sorted.end());
    point.seconds = mean_of(point.session_s);
    point.least_s = sorted.front();
    point.relative_spread =
        0.5 * (quantile_of(sorted, 0.75) - quantile_of(sorted, 0.25)) / quantile_of(sorted, 0.5);
    point.deviation = deviation_of_logarithms(usual);
    point.samples = static_cast<double>(sorted.size());
    point.stalls = sorted.size() - usual.size();
    point.with_stalls_s = mean_of(sorted);
    points.push_back(std::move(point));
  }
  return points;
}

void check_times(const MessageTrace& trace) {
  constexpr double kLeast_s = 1e-9;
  constexpr double kMost_s = 1e4;
  std::vector<std::string> problems;
  for (const MessageCost& cost : trace.costs) {
    const auto [least, most] = std::minmax_element(cost.samples_s.begin(), cost.samples_s.end());
    const bool may_be_none = cost.kind == "reduce";
    const bool is_short = !may_be_none && *least < kLeast_s;
    if (!is_short && *most <= kMost_s) continue;
    problems.push_back(trace.file + ": a " + cost.kind + " (" + cost.scope + ") of " +
                       std::to_string(cost.bytes) + " B took " +
                       shortest(is_short ? *least : *most) +
                       " s; expected times from 1 ns to 10000 s");
  }
  if (!problems.empty()) throw UserError(problems);
}

std::set<std::vector<int>> nodes_of(const MessageTrace& trace, const std::string& kind) {
  std::set<std::vector<int>> found;
  for (const MessageCost& cost : trace.costs) {
    if (cost.kind == kind && !cost.nodes.empty()) found.insert(cost.nodes);
  }
  return found;
}

}  // namespace epochcast
