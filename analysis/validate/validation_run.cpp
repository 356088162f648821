// SPDX-License-Identifier: Apache-2.0
#include "analysis/validate/validation_run.hpp"

#include <algorithm>

#include "analysis/forecast/sweep.hpp"
#include "analysis/validate/cluster_calibration.hpp"
#include "core/error.hpp"

namespace epochcast {
namespace {

/// The middle one of several forecasts, by epoch times.
RunResult middle(std::vector<RunResult> forecasts) {
  const auto half = forecasts.begin() + static_cast<std::ptrdiff_t>((forecasts.size() - 1) / 2);
  std::nth_element(forecasts.begin(), half, forecasts.end(), [](const auto& a, const auto& b) {
    return a.epoch_s < b.epoch_s;
  });
  return std::move(*half);
}

}  // namespace

std::vector<ValidationRow> run_validation(const std::vector<ValidationCase>& cases,
                                          const ValidationOptions& options,
                                          const Catalog& catalog,
                                          const ValidationProgress& progress) {
  const KeptResults kept(options.folder, options.note);
  std::vector<ClusterCalibration> calibrations;
  std::vector<std::size_t> calibration_of;
  for (const ValidationCase& one : cases) {
    const auto known =
        std::find_if(calibrations.begin(), calibrations.end(), [&](const auto& each) {
          return each.cluster() == one.cluster;
        });
    calibration_of.push_back(static_cast<std::size_t>(known - calibrations.begin()));
    if (known == calibrations.end())
      calibrations.emplace_back(one.cluster, options.program, catalog, kept);
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
  std::vector<std::vector<RealRun>> runs(cases.size());
  // A case whose first run has failed would fail again.
  const auto is_given_up = [&](std::size_t i) {
    return !rows[i].problems.empty() && rows[i].measured.empty();
  };
  for (std::size_t repetition = 0; repetition < repetitions; ++repetition) {
    for (ClusterCalibration& calibration : calibrations) {
      progress("measuring messages, " + calibration.cluster().name, done++, steps);
      calibration.measure_messages(repetition);
    }
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (is_given_up(i)) {
        ++done;
        continue;
      }
      progress(cases[i].group + ": " + cases[i].point, done++, steps);
      try {
        runs[i].push_back(calibrations[calibration_of[i]].run(cases[i], repetition));
        rows[i].measured.push_back(runs[i].back().result);
      } catch (const UserError& error) {
        rows[i].problems = error.problems();
      } catch (const RunError& error) {
        rows[i].problems.emplace_back(error.what());
      }
    }
  }
  progress("forecasting", done, steps);
  // A run that trains has a forecast of its own, and none without it; the others share one.
  std::vector<ForecastTask> tasks;
  std::vector<std::size_t> case_of_task;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].command != Command::train) runs[i].resize(1);
    for (const RealRun& run : runs[i]) {
      tasks.push_back({.config = calibrations[calibration_of[i]].forecast_config(cases[i], run),
                       .strategy = cases[i].config.strategy,
                       .point = cases[i].point});
      case_of_task.push_back(i);
    }
  }
  const std::vector<ForecastOutcome> outcomes = forecast_all(tasks, catalog);
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
