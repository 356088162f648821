// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/job/job_config.hpp"
#include "results/result_file.hpp"

namespace epochcast {

/// One run to forecast: a strategy for one point of a sweep.
struct ForecastTask {
  JobConfig config;
  std::string strategy;
  std::vector<SettingText> point = {};     ///< the values of the sweep's axes; empty without one
  std::vector<std::string> problems = {};  ///< reasons known in advance why it cannot be forecast
};

/// "nodes 4, batch 32"
[[nodiscard]] std::string point_text(const std::vector<SettingText>& point);

/// A forecast, or the reasons why there is none.
struct ForecastOutcome {
  ForecastTask task;
  std::optional<RunResult> run;
  std::vector<std::string> problems;  ///< of the input, when there is no run
  bool has_died = false;  ///< the simulating process ended without an answer: an internal error
};
/// An outcome without a run.
[[nodiscard]] NotForecast not_forecast(const ForecastOutcome& outcome);

}  // namespace epochcast
