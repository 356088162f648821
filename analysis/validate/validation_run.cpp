// SPDX-License-Identifier: Apache-2.0
#include "analysis/validate/validation_run.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "analysis/forecast/sweep.hpp"
#include "analysis/validate/case_run.hpp"
#include "analysis/validate/validation_text.hpp"
#include "base/error.hpp"
#include "base/process/ending.hpp"
#include "base/process/interruption.hpp"
#include "base/text/units.hpp"
#include "core/job/given_platform.hpp"

namespace epochcast {
namespace {

/// "measured 3.25 s, forecast 3.21 s, -1.2 %"
std::string result_text(const RunResult& measured, const std::optional<RunResult>& forecast) {
  std::string text = "measured " + format_seconds(measured.epoch_s);
  if (!forecast) return text;
  text += ", forecast " + format_seconds(forecast->epoch_s);
  if (measured.epoch_s > 0)
    text += ", " + signed_percent_text(forecast->epoch_s / measured.epoch_s - 1);
  return text;
}

/// "2 of 3" for repetition 1: of all regular ones, or of those that uncertain cases may have.
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
          .tier = one.tier(),
          .calibrated = one.calibrated().cluster.name,
          .problems = {}};
}

/// Index of the cluster in `known`; `add` appends a new one.
template <typename Known, typename Add>
std::size_t place_of(const ValidationCluster& cluster, const Known& known, const Add& add) {
  const auto found = std::find_if(
      known.begin(), known.end(), [&](const auto& each) { return each.cluster() == cluster; });
  const auto place = static_cast<std::size_t>(found - known.begin());
  if (found == known.end()) add();
  return place;
}

}  // namespace

ValidationRun::ValidationRun(const std::vector<ValidationCase>& cases,
                             const ValidationOptions& options,
                             const Catalog& catalog)
    : cases_(cases), options_(options), catalog_(catalog), kept_(options.folder, options.note) {
  rows_.reserve(cases.size());
  for (const ValidationCase& one : cases) {
    const ValidationCluster calibrated = one.calibrated().cluster;
    calibration_of_.push_back(place_of(calibrated, calibrations_, [&] {
      calibrations_.emplace_back(calibrated, options.program, catalog, kept_);
    }));
    calibrations_[calibration_of_.back()].expect(one);
    runner_of_.push_back(place_of(
        one.cluster, runners_, [&] { runners_.emplace_back(one.cluster, options.program); }));
    rows_.push_back(row_of(one));
  }
}

void ValidationRun::run(const ValidationProgress& progress) {
  // The number without uncertain cases; these add steps later.
  steps_ = calibrations_.size() + 1 +
           static_cast<std::size_t>(options_.repetitions.least) * cases_.size();
  measure(progress);
  progress("forecasting", done_++, steps_);
  forecast();
  run_all(progress);
  SignalScope::check();
  progress("", steps_, steps_);
}

void ValidationRun::measure(const ValidationProgress& progress) {
  for (ClusterCalibration& calibration : calibrations_) {
    SignalScope::check();
    const std::string step = "measuring " + calibration.cluster().name;
    options_.report(step);
    progress(step, done_++, steps_);
    calibration.measure();
  }
}

void ValidationRun::forecast() {
  std::vector<ForecastTask> tasks;
  std::vector<std::size_t> case_of_task;
  std::map<std::string, Platform> platforms;  // by JobConfig::platform
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    try {
      CalibratedCase calibrated = calibrations_[calibration_of_[i]].calibrated(cases_[i]);
      platforms.emplace(calibrated.config.platform, std::move(calibrated.platform));
      tasks.push_back(
          {.config = std::move(calibrated.config), .strategy = cases_[i].config.strategy});
      case_of_task.push_back(i);
    } catch (const UserError& error) {
      rows_[i].problems = error.problems();
    }
  }
  const auto load = [&](const JobConfig& config) {
    return load_job(config, platforms.at(config.platform), catalog_);
  };
  auto row_of_next = case_of_task.begin();
  forecast_each(
      tasks,
      load,
      {},
      [](std::size_t) {},
      [&](const ForecastOutcome& outcome) {
        ValidationRow& row = rows_[*row_of_next++];
        if (outcome.run) row.forecast = outcome.run;
        std::ranges::copy(outcome.problems, std::back_inserter(row.problems));
      });
}

std::vector<std::size_t> ValidationRun::due(std::size_t cluster, std::size_t repetition) const {
  std::vector<std::size_t> cases;
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    if (runner_of_[i] == cluster &&
        options_.repetitions.wants_another(rows_[i], static_cast<int>(repetition)))
      cases.push_back(i);
  }
  return cases;
}

void ValidationRun::run_all(const ValidationProgress& progress) {
  const auto least = static_cast<std::size_t>(options_.repetitions.least);
  for (std::size_t cluster = 0; cluster < runners_.size(); ++cluster) {
    std::size_t repetition = 0;
    for (auto cases = due(cluster, 0); !cases.empty(); cases = due(cluster, ++repetition)) {
      if (repetition >= least) steps_ += cases.size();
      for (const std::size_t i : cases) {
        SignalScope::check();
        progress(cases_[i].group + ": " + cases_[i].point, done_++, steps_);
        run_once(i, repetition);
      }
    }
  }
}

void ValidationRun::run_once(std::size_t i, std::size_t repetition) {
  ValidationRow& row = rows_[i];
  const auto least = static_cast<std::size_t>(options_.repetitions.least);
  const auto most = static_cast<std::size_t>(options_.repetitions.most());
  const std::string run_text =
      row.group + ": " + row.point + ": run " + count_text(repetition, least, most);
  try {
    std::vector<std::string> more;
    if (options_.more_words)
      more = options_.more_words(cases_[i], calibrations_[calibration_of_[i]].sizes());
    row.measured.push_back(
        run_case(runners_[runner_of_[i]], cases_[i], repetition, more, kept_, catalog_));
    options_.report(run_text + ": " + result_text(row.measured.back(), row.forecast));
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
      options_.report(run_text + " failed: " + problem + last);
  }
}

std::vector<ValidationRow> ValidationRun::tried_rows() const {
  std::vector<ValidationRow> tried;
  std::copy_if(rows_.begin(), rows_.end(), std::back_inserter(tried), [](const auto& row) {
    return !row.measured.empty() || !row.problems.empty();
  });
  return tried;
}

}  // namespace epochcast
