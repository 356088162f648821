// SPDX-License-Identifier: Apache-2.0
#include "analysis/validate/validation_run.hpp"

#include <algorithm>
#include <utility>

#include "analysis/forecast/sweep.hpp"
#include "analysis/validate/validation_text.hpp"
#include "core/error.hpp"
#include "core/process/ending.hpp"
#include "core/process/interruption.hpp"
#include "core/units.hpp"

namespace epochcast {
namespace {

/// "measured 3.25 s, forecast so far 3.21 s, -1.2 %"
std::string result_text(const RunResult& measured, const RunResult* forecast) {
  std::string text = "measured " + format_seconds(measured.epoch_s);
  if (forecast == nullptr) return text;
  text += ", forecast so far " + format_seconds(forecast->epoch_s);
  if (measured.epoch_s > 0)
    text += ", " + signed_percent_text(forecast->epoch_s / measured.epoch_s - 1);
  return text;
}

/// "2 of 3", counted from 0: of what every case gets, or of what one in doubt may.
std::string count_text(std::size_t index, std::size_t of_each, std::size_t most) {
  return std::to_string(index + 1) + (index < of_each ? " of " + std::to_string(of_each)
                                                      : " of at most " + std::to_string(most));
}

ValidationRow row_of(const ValidationCase& one) {
  return {.cluster = one.cluster.name,
          .command = one.command == Command::train ? "train" : "emulate",
          .group = one.group,
          .point = one.point,
          .forecast = {},
          .measured = {},
          .own_forecasts = {},
          .problems = {}};
}

}  // namespace

ValidationRun::ValidationRun(const std::vector<ValidationCase>& cases,
                             const ValidationOptions& options,
                             const Catalog& catalog)
    : cases_(cases),
      options_(options),
      catalog_(catalog),
      kept_(options.folder, options.note),
      runs_(cases.size()),
      forecasts_(cases.size()) {
  rows_.reserve(cases.size());
  for (const ValidationCase& one : cases) {
    const auto known =
        std::find_if(calibrations_.begin(), calibrations_.end(), [&](const auto& each) {
          return each.cluster() == one.cluster;
        });
    calibration_of_.push_back(static_cast<std::size_t>(known - calibrations_.begin()));
    if (known == calibrations_.end())
      calibrations_.emplace_back(one.cluster, options.program, catalog, kept_);
    calibrations_[calibration_of_.back()].expect(one);
    rows_.push_back(row_of(one));
  }
}

std::vector<std::size_t> ValidationRun::due(std::size_t cluster, std::size_t repetition) const {
  std::vector<std::size_t> cases;
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    if (calibration_of_[i] == cluster &&
        options_.repetitions.wants_another(
            rows_[i], static_cast<int>(repetition), runs_in_a_row(cases_[i].command)))
      cases.push_back(i);
  }
  return cases;
}

void ValidationRun::run(const ValidationProgress& progress) {
  const auto least = static_cast<std::size_t>(options_.repetitions.least);
  const auto most = static_cast<std::size_t>(options_.repetitions.most());
  // As many as there are without cases in doubt, and more when these turn up.
  std::size_t steps = least * cases_.size() + (least + 1) * calibrations_.size() + 1;
  std::size_t done = 0;
  for (std::size_t cluster = 0; cluster < calibrations_.size(); ++cluster) {
    const auto measure_messages = [&](std::size_t session) {
      SignalScope::check();
      const std::string step = "measuring messages, " + calibrations_[cluster].cluster().name;
      options_.tell(step + ", session " + count_text(session, least + 1, most + 1));
      progress(step, done++, steps);
      calibrations_[cluster].measure_messages(session);
    };
    std::size_t repetition = 0;
    for (auto cases = due(cluster, 0); !cases.empty(); cases = due(cluster, ++repetition)) {
      if (repetition >= least) steps += cases.size() + 1;
      measure_messages(repetition);
      for (const std::size_t i : cases) {
        SignalScope::check();
        progress(cases_[i].group + ": " + cases_[i].point, done++, steps);
        run_case(i, repetition);
      }
    }
    measure_messages(repetition);
  }
  progress("forecasting", done, steps);
  forecast_all_cases();
  SignalScope::check();
  progress("", steps, steps);
}

void ValidationRun::run_case(std::size_t i, std::size_t repetition) {
  ValidationRow& row = rows_[i];
  const auto in_a_row = static_cast<std::size_t>(runs_in_a_row(cases_[i].command));
  const auto least = static_cast<std::size_t>(options_.repetitions.least);
  const auto most = static_cast<std::size_t>(options_.repetitions.most());
  const auto run_text = [&](std::size_t k) {
    return row.group + ": " + row.point + ": run " +
           count_text(in_a_row * repetition + k, in_a_row * least, in_a_row * most);
  };
  std::vector<RealRun> runs;
  try {
    runs = calibrations_[calibration_of_[i]].run(cases_[i], repetition);
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& error) {
    const bool is_expected = dynamic_cast<const UserError*>(&error) != nullptr ||
                             dynamic_cast<const RunError*>(&error) != nullptr;
    if (!is_expected) throw;
    row.problems = problems_of(error);
    const std::string last =
        row.measured.empty() && repetition + 1 < least ? " (it is not tried again)" : "";
    for (const std::string& problem : row.problems)
      options_.tell(run_text(0) + " failed: " + problem + last);
    return;
  }
  for (std::size_t k = 0; k < runs.size(); ++k) {
    row.measured.push_back(runs[k].result);
    runs_[i].push_back(std::move(runs[k]));
    forecast_so_far(i);
    const RunResult* forecast = forecasts_[i].empty() ? nullptr : &forecasts_[i].back();
    options_.tell(run_text(k) + ": " + result_text(runs_[i].back().result, forecast));
  }
}

void ValidationRun::forecast_so_far(std::size_t i) {
  ForecastTask task = {.config = {}, .strategy = cases_[i].config.strategy};
  try {
    task.config = calibrations_[calibration_of_[i]].forecast_config(cases_[i], runs_[i].back());
  } catch (const UserError& error) {
    // With further sessions it may be fitted; in the end it is an error.
    const std::string doubt = "no forecast yet: " + error.problems().front();
    if (doubt != told_doubt_) options_.tell(doubt);
    told_doubt_ = doubt;
    return;
  }
  const ForecastOutcome outcome = forecast_all({task}, catalog_).front();
  if (!outcome.run) return;  // told in the end, with all sessions
  forecasts_[i].push_back(*outcome.run);
  set_forecasts(rows_[i], forecasts_[i]);
}

void ValidationRun::forecast_all_cases() {
  std::vector<ForecastTask> tasks;
  std::vector<std::size_t> case_of_task;
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    std::vector<RealRun> runs = runs_[i];
    if (runs.empty() && cases_[i].command != Command::train) runs.resize(1);  // it needs none
    for (const RealRun& run : runs) {
      tasks.push_back({.config = calibrations_[calibration_of_[i]].forecast_config(cases_[i], run),
                       .strategy = cases_[i].config.strategy});
      case_of_task.push_back(i);
    }
  }
  const std::vector<ForecastOutcome> outcomes = forecast_all(tasks, catalog_);
  for (auto& forecasts : forecasts_) forecasts.clear();
  for (std::size_t task = 0; task < tasks.size(); ++task) {
    const std::size_t i = case_of_task[task];
    const ForecastOutcome& outcome = outcomes[task];
    if (outcome.run) forecasts_[i].push_back(*outcome.run);
    rows_[i].problems.insert(
        rows_[i].problems.end(), outcome.problems.begin(), outcome.problems.end());
  }
  for (std::size_t i = 0; i < cases_.size(); ++i) set_forecasts(rows_[i], forecasts_[i]);
}

std::vector<ValidationRow> ValidationRun::tried_rows() const {
  std::vector<ValidationRow> tried;
  std::copy_if(rows_.begin(), rows_.end(), std::back_inserter(tried), [](const auto& row) {
    return !row.measured.empty() || !row.problems.empty();
  });
  return tried;
}

}  // namespace epochcast
