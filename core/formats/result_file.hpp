// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/formats/result.hpp"

namespace epochcast {

/// A strategy of a result that there is no run of, and why.
struct NotForecast {
  std::string strategy;
  std::string point;  ///< of a sweep; empty without one
  std::vector<std::string> problems;
};

/// What `--format json` of simulate, emulate and train has written.
struct ResultFile {
  std::vector<RunResult> runs;  ///< one at least, of some seconds and samples each
  std::vector<NotForecast> not_forecast;
  std::string command;  ///< that has made it
};

/// Reads `epochcast.result/1`. Throws a UserError that lists every problem.
[[nodiscard]] ResultFile read_results(const nlohmann::ordered_json& document,
                                      const std::string& file);

}  // namespace epochcast
