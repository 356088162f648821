// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/help/command_help.hpp"

namespace epochcast {

// The commands of `epochcast-lab`: arguments after the command's name. Each returns the exit status
// and throws UserError.

/// Forecasts against real runs: configurations drawn at random, runs that time their machine.
int run_lab_validate(const std::vector<std::string>& arguments);
/// Errors of forecasts without each mechanism of the model.
int run_ablation(const std::vector<std::string>& arguments);
/// Forecasts of a validation, made again by this program.
int run_lab_forecast(const std::vector<std::string>& arguments);
/// Errors of a validation, divided into drift of the machine and error of the model.
int run_explain(const std::vector<std::string>& arguments);

[[nodiscard]] CommandHelp lab_validate_help();
[[nodiscard]] CommandHelp ablation_help();
[[nodiscard]] CommandHelp lab_forecast_help();
[[nodiscard]] CommandHelp explain_help();

/// All of them, in the order of the help.
[[nodiscard]] std::span<const CommandInfo> lab_commands();

}  // namespace epochcast
