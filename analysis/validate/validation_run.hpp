// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "analysis/validate/validation.hpp"
#include "analysis/validate/validation_plan.hpp"
#include "core/job/job.hpp"

namespace epochcast {

/// How a validation goes about it.
struct ValidationOptions {
  std::filesystem::path program;  ///< epochcast itself: real runs and measurements are its commands
  std::filesystem::path folder;  ///< keeps what was measured and run; what is there is not repeated
  int repetitions = 3;           ///< real runs of each case
  /// Called with a sentence when something kept is damaged, and measured or run again.
  std::function<void(const std::string&)> note = [](const std::string&) {};
};

/// Called before each step with what it is, how many are over, and of how many.
using ValidationProgress =
    std::function<void(const std::string& step, std::size_t done, std::size_t all)>;

/// Measures messages (and batches, where cases train), calibrates, forecasts every case, and runs
/// each for real, repetition by repetition so that slow minutes of a machine meet all of them
/// alike. Batches are measured before and after each run that trains, and the run's forecast rests
/// on these: a machine's speed changes by the minute. Of such forecasts a row has the middle one.
///
/// Forecasts rest on measurements alone; no run of a case is used for any. A case that fails has
/// its reason in `problems`; where its first run fails, the others are not tried. Throws a
/// UserError for bad input, also where measured messages cannot be fitted, and a RunError when
/// measuring messages fails.
[[nodiscard]] std::vector<ValidationRow> run_validation(const std::vector<ValidationCase>& cases,
                                                        const ValidationOptions& options,
                                                        const Catalog& catalog,
                                                        const ValidationProgress& progress);

}  // namespace epochcast
