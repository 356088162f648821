// SPDX-License-Identifier: Apache-2.0
#include "cli/show/forecast_writer.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {
namespace {

ForecastOutcome forecast_of(const std::string& strategy, const std::string& point, double epoch_s) {
  ForecastOutcome outcome;
  outcome.task.strategy = strategy;
  outcome.task.point = point;
  outcome.run.emplace();
  outcome.run->strategy = strategy;
  outcome.run->platform = "pair";
  outcome.run->notes = {"a \"note\"\nof two lines"};
  outcome.run->epochs = 1;
  outcome.run->epoch_s = epoch_s;
  return outcome;
}

ForecastOutcome problem_of(const std::string& strategy, const std::string& point) {
  ForecastOutcome outcome;
  outcome.task.strategy = strategy;
  outcome.task.point = point;
  outcome.problems = {"no CPUs"};
  return outcome;
}

TEST_CASE("a row of CSV is written as soon as its run is there", "[cli]") {
  std::ostringstream out;
  const auto writer =
      make_forecast_writer(out, Format::csv, "epochcast simulate", Command::simulate);

  for (std::size_t count = 1; count <= 3; ++count) {
    writer->add(forecast_of("sync", "nodes " + std::to_string(count), 1));

    CHECK(lines(out.str()).size() == 1 + count);
  }
}

TEST_CASE("a table of a point is written as soon as the next point begins", "[cli]") {
  std::ostringstream out;
  const auto writer =
      make_forecast_writer(out, Format::table, "epochcast simulate", Command::simulate);

  writer->add(forecast_of("sync", "nodes 1", 2));
  writer->add(forecast_of("dlb", "nodes 1", 1));
  CHECK(out.str().empty());
  writer->add(forecast_of("sync", "nodes 2", 1));
  const std::string first = out.str();
  CHECK(first.find("[nodes 1]") != std::string::npos);
  CHECK(first.find("[nodes 2]") == std::string::npos);
  writer->finish();
  CHECK(out.str().find("[nodes 2]") != std::string::npos);
}

TEST_CASE("JSON written run by run is the document of all runs", "[cli]") {
  std::ostringstream out;
  const auto writer =
      make_forecast_writer(out, Format::json, "epochcast simulate", Command::simulate);
  const ForecastOutcome first = forecast_of("sync", "nodes 1", 2);
  const ForecastOutcome second = forecast_of("dlb", "nodes 1", 1);

  writer->add(first);
  CHECK(out.str().find("\"sync\"") != std::string::npos);
  writer->add(second);
  writer->finish();

  CHECK(out.str() == to_json({*first.run, *second.run}, "epochcast simulate").dump(2) + "\n");
}

TEST_CASE("JSON lists in the end what was not forecast", "[cli]") {
  std::ostringstream out;
  const auto writer =
      make_forecast_writer(out, Format::json, "epochcast simulate", Command::simulate);

  writer->add(problem_of("byteps", "nodes 1"));
  writer->add(forecast_of("sync", "nodes 1", 2));
  writer->finish();

  const auto json = nlohmann::json::parse(out.str());
  CHECK(json["runs"].size() == 1);
  CHECK(json["not_forecast"] ==
        nlohmann::json::array(
            {{{"strategy", "byteps"}, {"point", "nodes 1"}, {"problems", {"no CPUs"}}}}));
}

TEST_CASE("nothing is written where nothing could be forecast", "[cli]") {
  for (const Format format : {Format::table, Format::json, Format::csv}) {
    std::ostringstream out;
    const auto writer = make_forecast_writer(out, format, "epochcast simulate", Command::simulate);

    writer->add(problem_of("byteps", "nodes 1"));
    writer->add(problem_of("byteps", "nodes 2"));
    writer->finish();

    CHECK(out.str().empty());
  }
}

}  // namespace
}  // namespace epochcast::tests
