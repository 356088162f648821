// SPDX-License-Identifier: Apache-2.0
#include "analysis/pages/forecast_html.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/pages/page.hpp"
#include "results/result.hpp"
#include "strategies/learning.hpp"
#include "strategies/run_name.hpp"

namespace epochcast {
namespace {

using Json = nlohmann::ordered_json;

Json point_of(const ForecastTask& task) {
  Json point = Json::object();
  for (const SettingText& setting : task.point) point[setting.name] = setting.value;
  return point;
}

/// The common settings of all runs: "resnet50 on imagenet, deep-est-esb, batch 128 per worker,
/// float32".
std::string title_of(const std::vector<ForecastOutcome>& outcomes) {
  const auto run = std::find_if(
      outcomes.begin(), outcomes.end(), [](const auto& each) { return each.run.has_value(); });
  if (run == outcomes.end()) return "No forecast";
  const std::string held = held_for(*run->run);
  const bool is_common = std::all_of(outcomes.begin(), outcomes.end(), [&](const auto& each) {
    return !each.run || held_for(*each.run) == held;
  });
  return "Forecast: " + run->run->network + " on " + run->run->dataset + ", " + run->run->platform +
         (is_common ? ", " + held : "");
}

}  // namespace

Json forecast_view(const std::vector<ForecastOutcome>& outcomes) {
  Json view = {{"schema", kResultSchema}, {"runs", Json::array()}};
  view["not_forecast"] = Json::array();
  for (const ForecastOutcome& outcome : outcomes) {
    if (!outcome.run) {
      view["not_forecast"].push_back(to_json(not_forecast(outcome)));
      continue;
    }
    Json run = to_json(*outcome.run);
    run["name"] = run_name(*outcome.run);
    run["is_ranked"] = is_ranked(*outcome.run);
    run["not_ranked"] = why_not_ranked(*outcome.run);
    run["point"] = point_of(outcome.task);
    view["runs"].push_back(std::move(run));
  }
  return view;
}

std::string forecast_html(const std::vector<ForecastOutcome>& outcomes,
                          const Json& timelines,
                          const std::string& command) {
  std::vector<PageView> views = {{.name = "forecasts", .data = forecast_view(outcomes)}};
  if (!timelines.empty()) views.push_back({.name = "timelines", .data = timelines});
  return page_html(title_of(outcomes), command, views);
}

}  // namespace epochcast
