// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "analysis/forecast/kept_results.hpp"
#include "analysis/validate/cluster_calibration.hpp"
#include "analysis/validate/cluster_runner.hpp"
#include "analysis/validate/repetition_rule.hpp"
#include "analysis/validate/validation.hpp"
#include "analysis/validate/validation_plan.hpp"
#include "core/job/job.hpp"

namespace epochcast {

/// Further words of the command that runs a case, after its settings; `sizes`: of the measured
/// messages, ascending. For the laboratory, whose runs time their machine.
using MoreRunWords = std::function<std::vector<std::string>(
    const ValidationCase& one, const std::vector<std::int64_t>& sizes)>;

/// Programs, folder and callbacks of a validation.
struct ValidationOptions {
  std::filesystem::path program;  ///< epochcast itself: real runs and measurements are its commands
  std::filesystem::path folder;   ///< keeps measurements and runs, which are not repeated
  RepetitionRule repetitions = {};
  MoreRunWords more_words = {};  ///< empty: none
  /// Called with a sentence if a kept result is damaged; it is measured or run again.
  std::function<void(const std::string&)> note = [](const std::string&) {};
  /// Called with a line before a cluster is measured, and after each run: its time and forecast, or
  /// the reason of its failure.
  std::function<void(const std::string&)> report = [](const std::string&) {};
};

/// Called before each step with its description, the number of completed steps, and of all.
using ValidationProgress =
    std::function<void(const std::string& step, std::size_t done, std::size_t all)>;

/// Measures each calibrated cluster once; then forecasts every case; then runs each for real,
/// cluster by cluster, and its cases repetition by repetition: slow minutes of a machine affect all
/// cases. Cases whose error stays uncertain are run more often.
///
/// Nothing that is measured during or after the first run enters a forecast. A failed
/// case has the reason in `problems`; if its first run fails, the others are not tried.
class ValidationRun {
 public:
  /// `cases` and `catalog` outlive this. Throws a UserError if another process uses the
  /// folder.
  ValidationRun(const std::vector<ValidationCase>& cases,
                const ValidationOptions& options,
                const Catalog& catalog);

  /// The whole validation. Throws a UserError for bad input and for measured messages that cannot
  /// be fitted, a RunError if measuring fails, and Interrupted.
  void run(const ValidationProgress& progress);

  /// One row for each case, with the results so far.
  [[nodiscard]] const std::vector<ValidationRow>& rows() const { return rows_; }
  /// Those that have a run, or failed.
  [[nodiscard]] std::vector<ValidationRow> tried_rows() const;

 private:
  void measure(const ValidationProgress& progress);
  void forecast();
  void run_all(const ValidationProgress& progress);
  /// The cases of a cluster that are run in this repetition.
  [[nodiscard]] std::vector<std::size_t> due(std::size_t cluster, std::size_t repetition) const;
  void run_once(std::size_t i, std::size_t repetition);

  const std::vector<ValidationCase>& cases_;
  ValidationOptions options_;
  const Catalog& catalog_;
  KeptResults kept_;
  std::vector<ClusterCalibration> calibrations_;
  std::vector<std::size_t> calibration_of_;
  std::vector<ClusterRunner> runners_;
  std::vector<std::size_t> runner_of_;
  std::vector<ValidationRow> rows_;
  std::size_t steps_ = 0;
  std::size_t done_ = 0;
};

}  // namespace epochcast
