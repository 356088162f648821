// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "analysis/validate/validation.hpp"
#include "tests/analysis/rows.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

using Json = nlohmann::ordered_json;

/// A row with everything, and a failed one.
std::vector<ValidationRow> rows() {
  ValidationRow full = row_of("a", 1.5, {.low_s = 1.25, .high_s = 1.75}, {1, 2});
  full.forecast->by_device = {
      {.device_class = "gpu", .model = "v100", .role = "trains", .phases = {}}};
  full.forecast->notes = {"extrapolated"};
  full.measured[1].input_grade = Grade::measured;
  full.tier = Tier::extrapolated;
  full.calibrated = "1 node";
  return {full, failed_row("b", "killed")};
}

Json document() { return to_json(rows(), "epochcast validate", "2026-11-21"); }

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

/// The problems of reading document() after `change`.
template <typename Change>
Texts problems_after(Change change) {
  Json json = document();
  change(json);
  return problems_of([&] { (void)validation_from_json(json, "v.json"); });
}

TEST_CASE("a validation is the same after it was written and read back") {
  const std::vector<ValidationRow> again =
      validation_from_json(Json::parse(document().dump()), "v.json");

  CHECK(to_json(again, "epochcast validate", "2026-11-21") == document());
  REQUIRE(again.size() == 2);
  CHECK(again[0].cluster == "2 nodes");
  CHECK(again[0].command == "emulate");
  CHECK(again[0].group == "g");
  CHECK(again[0].point == "a");
  CHECK(again[0].forecast->epoch_s == 1.5);
  CHECK(again[0].forecast->by_device.at(0).model == "v100");
  CHECK(again[0].measured.at(1).input_grade == Grade::measured);
  CHECK(again[0].measured.at(1).config.at(0).name == "platform");  // not sorted
  CHECK(again[0].tier == Tier::extrapolated);
  CHECK(again[0].calibrated == "1 node");
  CHECK(again[1].measured.empty());
  CHECK(again[1].problems == Texts{"killed"});
}

TEST_CASE("a validation's JSON has the documented keys, in a stable order") {
  const Json json = document();

  CHECK(keys_of(json) == Texts{"schema", "summary", "tiers", "rows", "provenance"});
  CHECK(json["schema"] == "epochcast.validation/1");
  CHECK(keys_of(json["summary"]) == Texts{"configurations",
                                          "failed",
                                          "median_error",
                                          "p90_error",
                                          "p95_error",
                                          "worst_error",
                                          "worst",
                                          "p90_phase_error",
                                          "tau",
                                          "pairs",
                                          "wrong_pairs",
                                          "coverage",
                                          "runs",
                                          "runs_inside",
                                          "run_coverage",
                                          "ks",
                                          "groups"});
  CHECK(keys_of(json["summary"]["groups"][0]) ==
        Texts{"group", "rows", "tau", "pairs", "wrong_pairs", "is_best_right"});
  CHECK(keys_of(json["rows"][0]) == Texts{"cluster",
                                          "command",
                                          "group",
                                          "point",
                                          "tier",
                                          "calibrated",
                                          "findings",
                                          "problems",
                                          "forecast",
                                          "measured"});
  CHECK(keys_of(json["rows"][0]["findings"]) == Texts{"measured_s",
                                                      "measured_spread_s",
                                                      "error",
                                                      "measured_phases",
                                                      "phase_errors",
                                                      "is_inside",
                                                      "runs_inside",
                                                      "runs_with_interval",
                                                      "run_shares",
                                                      "ks"});
  CHECK(keys_of(json["provenance"]) == Texts{"program", "command", "date"});
}

TEST_CASE("each tier that has rows has a summary of its own") {
  ValidationRow other = row_of("b", 3, {2});
  other.tier = Tier::extrapolated;

  const Json json = to_json({row_of("a", 1, {1}), other}, "", "");

  REQUIRE(json["tiers"].size() == 2);
  CHECK(json["tiers"][0]["tier"] == "same cluster");
  CHECK(json["tiers"][0]["worst_error"] == 0);
  CHECK(json["tiers"][1]["tier"] == "extrapolated");
  CHECK(json["tiers"][1]["configurations"] == 1);
  CHECK(json["tiers"][1]["worst_error"] == 0.5);
  CHECK(to_json({other}, "", "")["tiers"].size() == 1);
}

TEST_CASE("unknown figures are null") {
  const Json json = to_json({failed_row("b", "killed")}, "", "");

  CHECK(json["rows"][0]["findings"].is_null());
  CHECK(json["summary"]["median_error"].is_null());
  CHECK(json["summary"]["tau"].is_null());
  CHECK(json["summary"]["p95_error"].is_null());
  CHECK(json["summary"]["coverage"].is_null());
  CHECK(json["summary"]["ks"].is_null());
  CHECK_FALSE(json["provenance"].contains("date"));
}

TEST_CASE("findings and summary follow from the rows, not from the file") {
  Json json = document();
  json["summary"]["median_error"] = 0;
  json["rows"][0]["findings"] = "none";

  CHECK(to_json(validation_from_json(json, "v.json"), "epochcast validate", "2026-11-21") ==
        document());
}

TEST_CASE("every mistake in an edited file is named by its path") {
  const std::string forecast = "v.json: /rows/0/forecast";
  const std::string measured = "v.json: /rows/0/measured/1";

  CHECK(problems_after([](Json& json) { json["rows"][0]["tier"] = "other"; }) ==
        Texts{"v.json: /rows/0/tier: got \"other\"; expected \"same cluster\" or "
              "\"extrapolated\""});
  CHECK(problems_after([](Json& json) {
          json["rows"][0]["forecast"]["epoch_s"] = "fast";
          json["rows"][0]["forecast"]["epoch_s_interval"] = {1};
          json["rows"][0]["forecast"]["by_device"][0]["workers"] = -1;
          json["rows"][0]["measured"][1].erase("nodes");
          json["rows"][0]["measured"][1]["input_grade"] = "guessed";
          json["rows"][0]["measured"][1]["config"]["batch"] = 32;
          json["rows"][1]["point"] = "";
          json["rows"][1]["problem"] = "none";
        }) ==
        Texts{forecast + "/epoch_s: got \"fast\"; expected seconds, not negative",
              forecast + "/epoch_s_interval: got a list of 1; expected null or two "
                         "times in seconds",
              forecast + "/by_device/0/workers: got -1; expected a whole number from "
                         "0 to 2147483647",
              measured + "/nodes: missing",
              measured + "/input_grade: got \"guessed\"; expected one of measured, "
                         "published, extrapolated, estimated",
              measured + "/config/batch: got 32; expected a text",
              "v.json: /rows/1/point: got \"\"; expected a text",
              "v.json: /rows/1/problem: unknown key \"problem\"; did you mean \"problems\"?"});
}

TEST_CASE("an interval whose bounds are reversed is refused") {
  CHECK(problems_after([](Json& json) {
          json["rows"][0]["forecast"]["epoch_s_interval"] = {2, 1};
        }) == Texts{"v.json: /rows/0/forecast/epoch_s_interval: got its bounds in reverse; "
                    "expected the lower one first"});
  CHECK(problems_after([](Json& json) {
          json["rows"][0]["forecast"]["epoch_s_interval"] = {1, 1};
        }).empty());
}

TEST_CASE("parts that are of another kind are named, not stumbled over") {
  CHECK(problems_after([](Json& json) { json["rows"] = 7; }) ==
        Texts{"v.json: /rows: got 7; expected a list"});
  CHECK(problems_after([](Json& json) { json["rows"][0]["measured"] = nullptr; }) ==
        Texts{"v.json: /rows/0/measured: got null; expected a list"});
  CHECK(problems_after([](Json& json) { json["provenance"].erase("command"); }) ==
        Texts{"v.json: /provenance/command: missing"});
  CHECK(problems_after([](Json& json) { json["schema"] = "epochcast.result/1"; }) ==
        Texts{"v.json: /schema: got \"epochcast.result/1\"; expected \"epochcast.validation/1\""});
}

TEST_CASE("no key of a run, missing or of a wrong kind, gets past the check") {
  for (const std::string& key : keys_of(document()["rows"][0]["forecast"])) {
    CAPTURE(key);
    const std::string path = "v.json: /rows/0/forecast/" + key;
    const auto missing =
        problems_after([&](Json& json) { json["rows"][0]["forecast"].erase(key); });
    const auto wrong = problems_after([&](Json& json) { json["rows"][0]["forecast"][key] = true; });

    CHECK(missing == Texts{path + ": missing"});
    REQUIRE(wrong.size() == 1);
    CHECK(wrong[0].find(path + ": got true; expected ") == 0);
  }
}

}  // namespace
}  // namespace epochcast::tests
