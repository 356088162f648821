// SPDX-License-Identifier: Apache-2.0
#include "core/formats/measured_curves.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/files/file_draft.hpp"
#include "base/process/temp_folder.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

MeasuredCurves some_curves() {
  return {.network = "resnet50",
          .dataset = "imagenet",
          .strategy = "local-sgd",
          .settings = {{"local-steps", "8"}},
          .batch = 64,
          .workers = 16,
          .source = {.grade = Grade::measured,
                     .machine = "16 V100",
                     .date = "2026-11-29",
                     .command = "epochcast import curves log.csv"},
          .runs = {{{.samples = 1000, .accuracy = 0.5}, {.samples = 3000, .accuracy = 0.75}},
                   {{.samples = 1000, .loss = 2, .perplexity = 7.4}}}};
}

MeasuredCurves reread_curves(const std::string& text) {
  const TempFolder folder("curves");
  const std::filesystem::path file = folder.path() / "curves.json";
  replace_file(file, text);
  return load_measured_curves(file);
}

TEST_CASE("curves are read as they were written") {
  CHECK(reread_curves(to_json(some_curves()).dump()) == some_curves());
}

TEST_CASE("tests of a curve have a result each, and ever more samples") {
  const auto problem = [](const char* key, const nlohmann::json& value) {
    nlohmann::json json = to_json(some_curves());
    json["runs"][0][1][key] = value;
    return problems_of([&] { static_cast<void>(reread_curves(json.dump())); }).at(0);
  };
  CHECK_THAT(problem("samples", 1000), Catch::Contains("more samples than at the test before"));
  CHECK_THAT(problem("accuracy", 75), Catch::Contains("a share, 0 to 1"));
  CHECK_THAT(problem("loss", "low"), Catch::Contains("/runs/0/1/loss"));
}

TEST_CASE("a curve gets the time of its samples") {
  const Curve curve = timed_curve(some_curves().runs[0], 0.01);
  CHECK(curve[1].training_s == Approx(30));
  CHECK(curve[1].epoch == 2);
  CHECK(*curve[1].test_accuracy == 0.75);
  CHECK(std::isnan(curve[1].test_loss));
}

}  // namespace
}  // namespace epochcast::tests
