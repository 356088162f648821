// SPDX-License-Identifier: Apache-2.0
#include "cli/show/forecast_writer.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {
namespace {

ForecastTask task_of(const std::string& strategy, int nodes) {
  return {.config = {}, .strategy = strategy, .point = {{"nodes", std::to_string(nodes)}}};
}

ForecastOutcome forecast_of(const std::string& strategy, int nodes, double epoch_s) {
  ForecastOutcome outcome;
  outcome.task = task_of(strategy, nodes);
  outcome.run.emplace();
  outcome.run->strategy = strategy;
  outcome.run->platform = "pair";
  outcome.run->notes = {"a \"note\"\nof two lines"};
  outcome.run->epochs = 1;
  outcome.run->train_samples = outcome.run->samples_per_epoch = 1000;
  outcome.run->epoch_s = epoch_s;
  return outcome;
}

ForecastOutcome problem_of(const std::string& strategy, int nodes) {
  ForecastOutcome outcome;
  outcome.task = task_of(strategy, nodes);
  outcome.problems = {"no CPUs"};
  return outcome;
}

std::unique_ptr<ForecastWriter> writer_of(std::ostream& out,
                                          Format format,
                                          const std::vector<ForecastTask>& tasks = {}) {
  return make_forecast_writer(out, format, "epochcast simulate", Command::simulate, tasks);
}

TEST_CASE("CSV has a row for each failed forecast, with the reason", "[cli]") {
  std::ostringstream out;
  const auto writer = writer_of(out, Format::csv);

  writer->add(problem_of("byteps", 1));
  CHECK(out.str().empty());  // possibly nothing is forecast
  writer->add(forecast_of("sync", 1, 2));
  writer->add(problem_of("dlb", 2));

  const std::vector<std::string> rows = lines(out.str());
  REQUIRE(rows.size() == 4);
  CHECK(
      rows[0].ends_with(",input_grade,currency,epoch_cost,job_cost,epoch_energy_j,job_energy_j,"
                        "speed_up,efficiency,knee,is_ranked,not_forecast"));
  CHECK(rows[1] == "nodes 1,byteps,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,no CPUs");
  CHECK(rows[2].starts_with("nodes 1,sync,pair,"));
  CHECK(rows[2].ends_with(",estimated,,,,,,,,,yes,"));
  CHECK(rows[3] == "nodes 2,dlb,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,no CPUs");
  for (const std::string& row : rows)
    CHECK(std::count(row.begin(), row.end(), ',') ==
          std::count(rows[0].begin(), rows[0].end(), ','));
}

TEST_CASE("a row of CSV is written as soon as its run is complete", "[cli]") {
  std::ostringstream out;
  const auto writer = writer_of(out, Format::csv);

  for (int nodes = 1; nodes <= 3; ++nodes) {
    writer->add(forecast_of("sync", nodes, 1));

    CHECK(lines(out.str()).size() == 1 + static_cast<std::size_t>(nodes));
  }
}

TEST_CASE("the rows of a point are written as soon as the next point begins", "[cli]") {
  std::ostringstream out;
  const auto writer =
      writer_of(out,
                Format::table,
                {task_of("sync", 1), task_of("dlb", 1), task_of("sync", 20), task_of("dlb", 20)});

  writer->add(forecast_of("sync", 1, 2));
  writer->add(forecast_of("dlb", 1, 1));
  CHECK(out.str().empty());
  writer->add(forecast_of("sync", 20, 1));
  const std::vector<std::string> first = lines(out.str());
  REQUIRE(first.size() == 6);  // common settings, a blank line, titles, a rule, two runs
  CHECK(first[4].starts_with("    1  1  dlb   "));
  CHECK(first[5].starts_with("    1  2  sync  "));
  writer->add(forecast_of("dlb", 20, 2));
  writer->finish();
  const std::vector<std::string> all = lines(out.str());
  CHECK(std::equal(first.begin(), first.end(), all.begin()));
  CHECK(all[7].starts_with("   20  1  sync  "));
  CHECK(all[8].starts_with("   20  2  dlb   "));
}

TEST_CASE("knees distinguish a strategy from the same with overlap", "[cli]") {
  std::ostringstream out;
  const auto writer = writer_of(out, Format::table, {task_of("sync", 1), task_of("sync", 2)});
  ForecastOutcome plain = forecast_of("sync", 1, 2);
  plain.run->scaling = ScalingFigures{.speed_up = 1, .efficiency = 1, .is_knee = true};
  ForecastOutcome overlapped = plain;
  overlapped.run->epoch_s = 3;
  overlapped.run->config = {{"overlap", "bucket"}};
  for (const ForecastOutcome& outcome : {plain, overlapped}) writer->add(outcome);
  writer->finish();

  CHECK_THAT(out.str(), Catch::Contains("\n  sync: nodes 1\n  sync, overlap: nodes 1\n"));
}

TEST_CASE("a newly required column begins the table anew", "[cli]") {
  std::ostringstream out;
  const auto writer =
      writer_of(out, Format::table, {task_of("sync", 1), task_of("sync", 2), task_of("sync", 3)});

  writer->add(forecast_of("sync", 1, 1));
  ForecastOutcome drawn = forecast_of("sync", 2, 1);
  drawn.run->epoch_s_interval = Interval{.low_s = 0.5, .high_s = 2};
  writer->add(drawn);
  writer->add(forecast_of("sync", 3, 1));
  writer->finish();

  const std::vector<std::string> all = lines(out.str());
  CHECK(all[2].find("5 - 95 %") == std::string::npos);
  CHECK(all[4].starts_with("    1  sync"));
  CHECK(all[5].empty());
  CHECK(all[6].find("5 - 95 %") != std::string::npos);
  CHECK(all[8].find("500 ms .. 2.00 s") != std::string::npos);
  CHECK(all[9].starts_with("    3  sync"));
}

TEST_CASE("JSON written run by run is the document of all runs", "[cli]") {
  std::ostringstream out;
  const auto writer = writer_of(out, Format::json);
  const ForecastOutcome first = forecast_of("sync", 1, 2);
  const ForecastOutcome second = forecast_of("dlb", 1, 1);

  writer->add(first);
  CHECK(out.str().find("\"sync\"") != std::string::npos);
  writer->add(second);
  writer->finish();

  CHECK(out.str() == to_json({*first.run, *second.run}, "epochcast simulate").dump(2) + "\n");
}

TEST_CASE("JSON lists failed forecasts at the end", "[cli]") {
  std::ostringstream out;
  const auto writer = writer_of(out, Format::json);

  writer->add(problem_of("byteps", 1));
  writer->add(forecast_of("sync", 1, 2));
  writer->finish();

  const auto json = nlohmann::json::parse(out.str());
  CHECK(json["runs"].size() == 1);
  CHECK(json["not_forecast"] ==
        nlohmann::json::array(
            {{{"strategy", "byteps"}, {"point", "nodes 1"}, {"problems", {"no CPUs"}}}}));
}

TEST_CASE("nothing is written without a successful forecast", "[cli]") {
  for (const Format format : {Format::table, Format::json, Format::csv}) {
    std::ostringstream out;
    const auto writer = writer_of(out, format, {task_of("byteps", 1), task_of("byteps", 2)});

    writer->add(problem_of("byteps", 1));
    writer->add(problem_of("byteps", 2));
    writer->finish();

    CHECK(out.str().empty());
  }
}

}  // namespace
}  // namespace epochcast::tests
