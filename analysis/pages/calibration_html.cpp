// SPDX-License-Identifier: Apache-2.0
#include "analysis/pages/calibration_html.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "analysis/pages/page.hpp"
#include "base/statistics/spread.hpp"
#include "base/text/units.hpp"
#include "core/costs/batch_cost.hpp"

namespace epochcast {
namespace {

using Json = nlohmann::ordered_json;

Json points_json(const std::vector<FitPoint>& points) {
  Json all = Json::array();
  for (const FitPoint& point : points)
    all.push_back(
        {{"bytes", point.bytes}, {"measured_s", point.measured_s}, {"fitted_s", point.fitted_s}});
  return all;
}

Json scope_json(const std::optional<ScopeFit>& fit) {
  if (!fit) return nullptr;
  return {{"ping_pong", points_json(fit->ping_pong)}, {"ring_step", points_json(fit->ring_step)}};
}

}  // namespace

std::string judgement(const std::vector<AllReduceCheck>& checks) {
  constexpr double kGood = 0.1;
  constexpr double kUsable = 0.25;
  if (checks.empty()) return "no all-reduce is left to check the fit with";
  std::vector<double> errors;
  errors.reserve(checks.size());
  for (const AllReduceCheck& check : checks) errors.push_back(std::abs(check.error()));
  const double median = median_of(errors);
  const auto worst = std::max_element(errors.begin(), errors.end());
  const double worst_bytes =
      checks[static_cast<std::size_t>(worst - errors.begin())].all_reduce.bytes;
  const std::string off = "median error " + format_percent(median, 1) + ", worst " +
                          format_percent(*worst, 1) + " (of " + format_bytes(worst_bytes) + "): ";
  const std::string where = *worst > kUsable ? " for most sizes" : "";
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
  Json data = {{"between", scope_json(fit.between)},
               {"node", scope_json(fit.node)},
               {"all_reduces", Json::array()},
               {"judgement", judgement(checks)}};
  for (const AllReduceCheck& check : checks) {
    data["all_reduces"].push_back({{"algorithm", check.all_reduce.algorithm},
                                   {"scope", check.all_reduce.scope},
                                   {"bytes", check.all_reduce.bytes},
                                   {"measured_s", check.measured_s},
                                   {"forecast_s", check.forecast_s}});
  }
  return page_html(title, command, {{.name = "calibration", .data = std::move(data)}});
}

}  // namespace epochcast
