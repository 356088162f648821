// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "results/result.hpp"

namespace epochcast {

/// A strategy of a result without a run, and the reason.
struct NotForecast {
  std::string strategy;
  std::string point;  ///< of a sweep; empty without one
  std::vector<std::string> problems;
};
[[nodiscard]] nlohmann::ordered_json to_json(const NotForecast& missing);

/// The output of `--format json` of simulate, emulate and train.
struct ResultFile {
  std::vector<RunResult> runs;  ///< one at least, of some seconds and samples each
  std::vector<NotForecast> not_forecast;
  std::string command;  ///< that wrote it
};

/// Reads `epochcast.result/1`. Throws a UserError that lists every problem.
[[nodiscard]] ResultFile read_results(const nlohmann::ordered_json& document,
                                      const std::string& file);

}  // namespace epochcast
