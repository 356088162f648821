// SPDX-License-Identifier: Apache-2.0
#include "analysis/pages/curve_html.hpp"

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

/// The data of the page's scripts.
nlohmann::json data_of_curves(const std::string& page) {
  const std::string begin = "data-view=\"curves\">";
  const std::size_t at = page.find(begin + "{") + begin.size();
  return nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
}

TEST_CASE("a page of curves has every seed's points, the target and the findings") {
  const CurvePoint point = {.epoch = 1, .training_s = 1, .test_loss = 1, .test_accuracy = 0.5};

  const auto data = data_of_curves(curve_html({{"sync", {{point}, {point, point}}}},
                                              {.title = "title",
                                               .target = LearningTarget{Metric::accuracy, 0.35},
                                               .findings = "Recommended: <b>",
                                               .shown_first = {"sync"}}));

  CHECK(data["jobs"][0]["name"] == "sync");
  CHECK(data["jobs"][0]["curves"][0] == nlohmann::json(to_json(Curve{point})));
  CHECK(data["jobs"][0]["curves"][1].size() == 2);
  CHECK(data["target"] == nlohmann::json({{"metric", "accuracy"}, {"value", 0.35}}));
  CHECK(data["findings"] == "Recommended: <b>");
  CHECK(data["marked"][0] == "sync");
}

}  // namespace
}  // namespace epochcast::tests
