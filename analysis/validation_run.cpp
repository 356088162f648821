// SPDX-License-Identifier: Apache-2.0
#include "analysis/validation_run.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/cluster_calibration.hpp"
#include "analysis/sweep.hpp"
#include "core/error.hpp"
#include "core/text_file.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// The middle one of several forecasts, by epoch times.
RunResult middle(std::vector<RunResult> forecasts) {
  const auto half = forecasts.begin() + static_cast<std::ptrdiff_t>((forecasts.size() - 1) / 2);
  std::nth_element(forecasts.begin(), half, forecasts.end(), [](const auto& a, const auto& b) {
    return a.epoch_s < b.epoch_s;
  });
  return std::move(*half);
}

/// The command that runs a case for real.
std::vector<std::string> run_words(const ValidationCase& one, std::uint64_t seed) {
  JobConfig config = one.config;
  config.seed = seed;
  if (one.command == Command::train) config.machine.ranks = one.cluster.ranks;
  std::vector<std::string> words = {one.command == Command::train ? "train" : "emulate"};
  for (const SettingText& setting : setting_texts(config, in(one.command))) {
    words.push_back("--" + setting.name + "=" + setting.value);
  }
  words.insert(words.end(), {"--format", "json", "--bar=off"});
  return words;
}

/// A run's result; from its file when it has been run before.
RunResult run_of(const ValidationCase& one,
                 const ClusterCalibration& cluster,
                 const fs::path& file,
                 std::uint64_t seed) {
  if (!fs::exists(file)) {
    fs::path log = file;
    log.replace_extension(".log");
    write_text_file(file.string() + ".part", cluster.output_of(run_words(one, seed), log));
    fs::rename(file.string() + ".part", file);
  }
  const auto document = Json::parse(read_text_file(file), nullptr, false);
  if (!document.is_object() || !document.contains("runs") || document["runs"].empty())
    throw RunError(file.string() + ": holds no result; remove it to run this again");
  return run_from_json(document["runs"].front());
}

}  // namespace

std::vector<ValidationRow> run_validation(const std::vector<ValidationCase>& cases,
                                          const ValidationOptions& options,
                                          const Catalog& catalog,
                                          const ValidationProgress& progress) {
  std::vector<ClusterCalibration> calibrations;
  std::vector<std::size_t> calibration_of;
  for (const ValidationCase& one : cases) {
    const auto known =
        std::find_if(calibrations.begin(), calibrations.end(), [&](const auto& each) {
          return each.cluster() == one.cluster;
        });
    calibration_of.push_back(static_cast<std::size_t>(known - calibrations.begin()));
    if (known == calibrations.end())
      calibrations.emplace_back(
          one.cluster,
          options.program,
          catalog,
          options.folder / ("cluster-" + std::to_string(calibrations.size() + 1)));
  }
  const auto repetitions = static_cast<std::size_t>(options.repetitions);
  const std::size_t steps = repetitions * (calibrations.size() + cases.size()) + 1;
  std::size_t done = 0;
  std::vector<ValidationRow> rows;
  rows.reserve(cases.size());
  for (const ValidationCase& one : cases) {
    rows.push_back({.cluster = one.cluster.name,
                    .command = one.command == Command::train ? "train" : "emulate",
                    .group = one.group,
                    .point = one.point,
                    .forecast = {},
                    .measured = {},
                    .own_forecasts = {},
                    .problems = {}});
  }
  std::vector<std::vector<std::size_t>> repetitions_run(cases.size());
  for (std::size_t repetition = 0; repetition < repetitions; ++repetition) {
    for (ClusterCalibration& calibration : calibrations) {
      progress("measuring messages, " + calibration.cluster().name, done++, steps);
      calibration.measure_messages(repetition);
    }
    for (std::size_t i = 0; i < cases.size(); ++i) {
      ClusterCalibration& calibration = calibrations[calibration_of[i]];
      progress(cases[i].group + ": " + cases[i].point, done++, steps);
      const bool trains = cases[i].command == Command::train;
      if (trains) calibration.measure_batches(cases[i], i, repetition, 0);
      try {
        const fs::path file = calibration.folder() / ("case-" + std::to_string(i + 1) + "-run-" +
                                                      std::to_string(repetition + 1) + ".json");
        rows[i].measured.push_back(run_of(cases[i], calibration, file, repetition + 1));
        repetitions_run[i].push_back(repetition);
      } catch (const RunError& error) {
        rows[i].problems.emplace_back(error.what());
      }
      if (trains) calibration.measure_batches(cases[i], i, repetition, 1);
    }
  }
  progress("forecasting", done, steps);
  // A run that trains has a forecast of its own; the others share one.
  std::vector<ForecastTask> tasks;
  std::vector<std::size_t> case_of_task;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    std::vector<std::size_t> wanted = repetitions_run[i];
    if (cases[i].command != Command::train || wanted.empty()) wanted = {0};
    for (const std::size_t repetition : wanted) {
      tasks.push_back(
          {.config = calibrations[calibration_of[i]].forecast_config(cases[i], i, repetition),
           .strategy = cases[i].config.strategy,
           .point = cases[i].point});
      case_of_task.push_back(i);
    }
  }
  const std::vector<ForecastOutcome> outcomes =
      forecast_all(tasks, catalog);
  for (std::size_t task = 0; task < tasks.size(); ++task) {
    ValidationRow& row = rows[case_of_task[task]];
    const ForecastOutcome& outcome = outcomes[task];
    if (outcome.run) row.own_forecasts.push_back(*outcome.run);
    row.problems.insert(row.problems.end(), outcome.problems.begin(), outcome.problems.end());
  }
  for (std::size_t i = 0; i < cases.size(); ++i) {
    std::vector<RunResult>& own = rows[i].own_forecasts;
    if (!own.empty()) rows[i].forecast = middle(own);
    if (cases[i].command != Command::train || own.size() != rows[i].measured.size()) own.clear();
  }
  progress("", steps, steps);
  return rows;
}

}  // namespace epochcast
