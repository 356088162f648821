// SPDX-License-Identifier: Apache-2.0
#include "results/schema.hpp"

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

using Json = nlohmann::ordered_json;

/// The provenance in a document, which must have no problem.
Provenance provenance_in(const Json& document, bool has_world) {
  const nlohmann::json read = document;
  Problems problems("a.json");
  JsonInput top(read, "", problems);
  const Provenance provenance = read_provenance(top.at("provenance"), has_world);
  problems.throw_if_any();
  return provenance;
}

TEST_CASE("a result's document has its schema first and its provenance last") {
  const Json document =
      result_document(kFoundSchema, {{"b", 1}, {"a", {2, 3}}}, {.command = "epochcast find"});

  CHECK(document.dump() ==
        R"({"schema":"epochcast.found/1","b":1,"a":[2,3],"provenance":{"program":")" +
            program_version() + R"(","command":"epochcast find"}})");
}

TEST_CASE("a provenance is the same after it was written and read back") {
  const Provenance of_run = {.command = "epochcast train", .world = "train"};
  const Provenance of_validation = {.command = "", .date = "2026-11-21"};

  const Provenance run = provenance_in(result_document(kResultSchema, {}, of_run), true);
  const Provenance validation =
      provenance_in(result_document(kValidationSchema, {}, of_validation), false);

  CHECK(run.command == "epochcast train");
  CHECK(run.world == "train");
  CHECK(validation.command.empty());
  CHECK(validation.date == "2026-11-21");
}

TEST_CASE("the provenance of runs has the command that ran them, and no date") {
  const Json without = result_document(kResultSchema, {}, {.command = "c"});
  const Json dated =
      result_document(kResultSchema, {}, {.command = "c", .world = "w", .date = "d"});

  CHECK_THROWS_AS(provenance_in(without, true), UserError);
  CHECK_THROWS_AS(provenance_in(dated, true), UserError);
}

TEST_CASE("phases are members with their unit, and are read back") {
  Json json;
  put_phases(json, {.compute_s = 1, .exposed_communication_s = 2, .blocked_s = 3});
  Json shares;
  put_phases(shares, {.compute_s = 0.5}, "");

  CHECK(json.dump() == R"({"compute_s":1.0,"exposed_communication_s":2.0,"blocked_s":3.0})");
  CHECK(phases_in(json).exposed_communication_s == 2);
  CHECK(shares.dump() == R"({"compute":0.5,"exposed_communication":0.0,"blocked":0.0})");
}

TEST_CASE("an interval is its two bounds, or null") {
  CHECK(interval_json(Interval{.low_s = 1, .high_s = 2}) == Json::parse("[1.0, 2.0]"));
  CHECK(interval_json(std::nullopt).is_null());
}

}  // namespace
}  // namespace epochcast::tests
