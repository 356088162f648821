// SPDX-License-Identifier: Apache-2.0
#include "analysis/pages/curve_html.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "analysis/pages/page.hpp"

namespace epochcast {

std::string curve_html(const std::vector<SeededCurves>& jobs, const CurvePage& page) {
  using Json = nlohmann::ordered_json;
  Json data = {{"jobs", Json::array()},
               {"target", nullptr},
               {"findings", page.findings},
               {"marked", page.shown_first}};
  for (const SeededCurves& job : jobs) {
    Json curves = Json::array();
    for (const Curve& curve : job.curves) curves.push_back(to_json(curve));
    data["jobs"].push_back({{"name", job.name}, {"curves", std::move(curves)}});
  }
  if (page.target)
    data["target"] = {{"metric", to_string(page.target->metric)}, {"value", page.target->value}};
  return page_html(page.title, page.command, {{.name = "curves", .data = std::move(data)}});
}

}  // namespace epochcast
