// SPDX-License-Identifier: Apache-2.0
#include "analysis/pages/curve_html.hpp"

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

/// The data of the page's scripts.
nlohmann::json data_of(const std::string& page) {
  const std::string begin = "data-view=\"curves\">";
  const std::size_t at = page.find(begin + "{") + begin.size();
  return nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
}

TEST_CASE("the page plots the losses of both halves if a network has two") {
  CurvePoint point = {.epoch = 1, .training_s = 1, .test_loss = 1, .test_accuracy = 0.5};
  const auto data = [&] { return data_of(curve_html({{"sync", {{point}}}}, {.title = "title"})); };

  CHECK(!data()["curves"][0]["points"][0].contains("generator_loss"));
  point.discriminator_loss = 1.25;
  point.generator_loss = 2.5;

  CHECK(data()["curves"][0]["name"] == "sync");
  CHECK(data()["curves"][0]["points"][0]["discriminator_loss"] == 1.25);
  CHECK(data()["curves"][0]["points"][0]["generator_loss"] == 2.5);
}

TEST_CASE("a seed that has reached the target keeps its value while others continue") {
  const auto point = [](std::int64_t epoch, double accuracy) {
    return CurvePoint{.epoch = epoch,
                      .training_s = 10.0 * static_cast<double>(epoch),
                      .test_loss = 1,
                      .test_accuracy = accuracy};
  };
  const Curve fast = {point(1, 0.1), point(2, 0.4)};
  const Curve slow = {point(1, 0.1), point(2, 0.2), point(3, 0.36)};

  const auto data =
      data_of(curve_html({{"sync", {fast, slow}}},
                         {.title = "title", .target = LearningTarget{Metric::accuracy, 0.35}}));

  const auto& points = data["curves"][0]["points"];
  REQUIRE(points.size() == 3);
  CHECK(points[2]["test_accuracy"].get<double>() == Approx((0.4 + 0.36) / 2));
  CHECK(points[2]["training_s"] == 30.0);
  CHECK(points[1]["low"]["test_accuracy"] == 0.2);
  CHECK(points[1]["high"]["test_accuracy"] == 0.4);
  CHECK(data["target"]["value"] == 0.35);
}

TEST_CASE("the findings are on the page, escaped") {
  const std::string page = curve_html({}, {.title = "t", .findings = "Recommended: <b>"});

  CHECK(page.find("<pre>Recommended: &lt;b&gt;</pre>") != std::string::npos);
}

}  // namespace
}  // namespace epochcast::tests
