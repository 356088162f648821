// SPDX-License-Identifier: Apache-2.0
#include "analysis/pages/calibration_html.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "analysis/pages/escaped_html.hpp"
#include "analysis/pages/page.hpp"
#include "base/statistics/spread.hpp"
#include "base/text/units.hpp"
#include "core/costs/batch_cost.hpp"

namespace epochcast {
namespace {

using Json = nlohmann::ordered_json;

/// Measured seconds by bytes of `points`; with a line, the fitted seconds.
Json series_of(const std::string& name, const std::vector<FitPoint>& points, bool has_line) {
  Json series = {{"name", name}, {"points", Json::array()}, {"has_line", has_line}};
  for (const FitPoint& point : points) {
    series["points"].push_back(
        {{"x", point.bytes}, {"y", point.measured_s}, {"line", point.fitted_s}});
  }
  return series;
}

Json scope_plot(const ScopeFit& fit, const std::string& heading, const std::string& text) {
  Json series = Json::array();
  if (!fit.ping_pong.empty())
    series.push_back(series_of("one message, and its fit", fit.ping_pong, true));
  if (!fit.ring_step.empty())
    series.push_back(series_of("all ranks send and receive, fit", fit.ring_step, true));
  return {{"heading", heading},
          {"text", text},
          {"x", {{"title", "size of a message"}, {"unit", "bytes"}}},
          {"y", {{"title", "time"}, {"unit", "seconds"}}},
          {"series", std::move(series)}};
}

Json check_plot(const std::vector<AllReduceCheck>& checks) {
  std::map<std::string, std::vector<FitPoint>> by_name;
  for (const AllReduceCheck& check : checks) {
    const std::string name = check.all_reduce.algorithm + " among " + check.all_reduce.scope;
    by_name[name].push_back({check.measured_s, check.forecast_s, 0});
  }
  Json series = Json::array();
  for (const auto& [name, points] : by_name) series.push_back(series_of(name, points, false));
  return {{"heading", "All-reduces that the fit has not seen"},
          {"text", "On the line, the forecast is right; above, it is too slow."},
          {"x", {{"title", "measured"}, {"unit", "seconds"}}},
          {"y", {{"title", "forecast"}, {"unit", "seconds"}}},
          {"has_diagonal", true},
          {"series", std::move(series)}};
}

}  // namespace

std::string judgement(const std::vector<AllReduceCheck>& checks) {
  constexpr double kGood = 0.1;
  constexpr double kUsable = 0.25;
  std::vector<double> errors;
  errors.reserve(checks.size());
  for (const AllReduceCheck& check : checks) errors.push_back(std::abs(check.error()));
  if (errors.empty()) return "no all-reduce is left to check the fit with";
  const double median = median_of(errors);
  const double worst = *std::max_element(errors.begin(), errors.end());
  const std::string off =
      "median error " + format_percent(median, 1) + ", worst " + format_percent(worst, 1) + ": ";
  const std::string where = worst > kUsable ? ", but not for all sizes" : "";
  if (median <= kGood) return off + "good" + where;
  if (median <= kUsable)
    return off + "good enough to rank strategies" + where + "; intervals are as wide";
  return off +
         "bad. Measure again while the machines do nothing else, with more repetitions, before "
         "forecasts of exchanges are relied on";
}

std::string calibration_html(const NetworkFit& fit,
                             const std::vector<AllReduceCheck>& checks,
                             const std::string& title,
                             const std::string& command) {
  const std::string how =
      "Markers are measured means (stalls left out), lines the fit. Rounds of collectives are "
      "forecast with the costs of messages while all ranks send and receive.";
  Json plots = Json::array();
  if (fit.between) plots.push_back(scope_plot(*fit.between, "Between nodes", how));
  if (fit.node) plots.push_back(scope_plot(*fit.node, "Inside nodes", how));
  std::string body;
  if (!checks.empty()) {
    plots.push_back(check_plot(checks));
    body = "<p>All-reduces that the fit has not seen: " + escaped_html(judgement(checks)) + "." +
           "</p>\n";
  }
  return page_html(title, command, body, {{.name = "plots", .data = std::move(plots)}});
}

}  // namespace epochcast
