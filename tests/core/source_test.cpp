// SPDX-License-Identifier: Apache-2.0
#include "core/source.hpp"

#include <nlohmann/json.hpp>

#include "base/json/json_file.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

Source source_of(const std::string& text) {
  const nlohmann::json document = parse_json(R"({"source": )" + text + "}", "f.json");
  Problems problems("f.json");
  Source source = read_source(JsonInput(document, "", problems).at("source"));
  problems.throw_if_any();
  return source;
}

Texts problems_of_source(const std::string& text) {
  return problems_of([&] { static_cast<void>(source_of(text)); });
}

TEST_CASE("a source has a grade and the origin of its figures") {
  const Source measured = source_of(R"({"grade": "measured", "machine": "EPYC, 2 cores",
    "date": "2026-01-02", "command": "measure", "versions": {"libtorch": "1.13.1"}})");
  const Source published = source_of(R"({"grade": "published", "reference": "table 3"})");
  const Source estimated = source_of(R"({"grade": "estimated", "method": "FLOPs over peak"})");

  CHECK(measured.grade == Grade::measured);
  CHECK(measured.machine == "EPYC, 2 cores");
  CHECK(measured.date == "2026-01-02");
  CHECK(measured.command == "measure");
  CHECK(measured.versions == std::map<std::string, std::string>{{"libtorch", "1.13.1"}});
  CHECK(published.grade == Grade::published);
  CHECK(published.reference == "table 3");
  CHECK(estimated.grade == Grade::estimated);
  CHECK(estimated.method == "FLOPs over peak");
}

TEST_CASE("a date is a day of the calendar") {
  for (const char* day : {"2026-11-21", "2024-02-29", "2000-02-29", "1999-12-31"})
    CHECK(is_date(day));
  for (const char* day : {"2026-02-31",
                          "2026-02-29",
                          "1900-02-29",
                          "2026-13-01",
                          "2026-00-10",
                          "2026-04-31",
                          "2026-1-2",
                          "26-01-02",
                          "2026/01/02",
                          "2026-01-02 ",
                          "",
                          "yesterday",
                          "+026-01-02",
                          "2026-01-0x"})
    CHECK_FALSE(is_date(day));
}

TEST_CASE("an invalid date of a measurement is reported") {
  CHECK(problems_of_source(R"({"grade": "measured", "machine": "EPYC", "date": "2026-02-31",
    "command": "measure", "versions": {}})") ==
        Texts{"f.json: /source/date: got \"2026-02-31\"; expected a day such as \"2026-11-21\""});
}

TEST_CASE(
    "the lowest grade is the less trustworthy: measured, published, extrapolated, estimated") {
  CHECK(lowest(Grade::measured, Grade::published) == Grade::published);
  CHECK(lowest(Grade::estimated, Grade::published) == Grade::estimated);
  CHECK(lowest(Grade::extrapolated, Grade::published) == Grade::extrapolated);
  CHECK(lowest(Grade::extrapolated, Grade::estimated) == Grade::estimated);
  CHECK(lowest(Grade::measured, Grade::measured) == Grade::measured);
}

TEST_CASE("a measured source needs machine, date, command and versions") {
  CHECK(problems_of_source(R"({"grade": "measured"})") ==
        Texts{"f.json: /source/machine: missing",
              "f.json: /source/date: missing",
              "f.json: /source/command: missing",
              "f.json: /source/versions: missing"});
}

TEST_CASE("files may not have the grade extrapolated, which is for forecasts") {
  CHECK(problems_of_source(R"({"grade": "extrapolated"})") ==
        Texts{"f.json: /source/grade: got \"extrapolated\"; expected \"measured\", \"published\" "
              "or \"estimated\""});
}

TEST_CASE("each grade has its own keys") {
  CHECK(problems_of_source(R"({"grade": "published"})") ==
        Texts{"f.json: /source/reference: missing"});
  CHECK(problems_of_source(R"({"grade": "estimated"})") ==
        Texts{"f.json: /source/method: missing"});
  CHECK(problems_of_source(R"({"grade": "estimated", "method": "m", "machine": "x"})") ==
        Texts{"f.json: /source/machine: unknown key \"machine\"; known: grade, note, method, "
              "reference"});
}

TEST_CASE("an unknown grade is refused") {
  CHECK(problems_of_source(R"({"grade": "guessed"})") ==
        Texts{"f.json: /source/grade: got \"guessed\"; expected \"measured\", \"published\" or "
              "\"estimated\""});
  CHECK(problems_of_source(R"({"grade": "guessed", "method": "m"})").size() == 1);
  CHECK(problems_of_source("{}") == Texts{"f.json: /source/grade: missing"});
}

TEST_CASE("a source that is no object is refused") {
  CHECK(problems_of_source("\"a paper\"") ==
        Texts{"f.json: /source: got \"a paper\"; expected an object"});
}

}  // namespace
}  // namespace epochcast::tests
