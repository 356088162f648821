// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/help/command_help.hpp"

namespace epochcast {

/// `epochcast simulate`: arguments after the command's name. Returns the exit status; throws
/// UserError.
int run_simulate(const std::vector<std::string>& arguments);
/// `epochcast find`: the value of a setting that meets a condition on forecasts.
int run_find(const std::vector<std::string>& arguments);
/// `epochcast rehearse`: real training on a simulated clock.
int run_rehearse(const std::vector<std::string>& arguments);
/// `epochcast choose`: the strategy, settings and cluster with the least time, cost or energy to a
/// target.
int run_choose(const std::vector<std::string>& arguments);
/// `epochcast tune`: the settings that reach an accuracy in the shortest time.
int run_tune(const std::vector<std::string>& arguments);
/// `epochcast calibrate`: traces to a platform.
int run_calibrate(const std::vector<std::string>& arguments);
/// `epochcast validate`: forecasts against real runs.
int run_validate(const std::vector<std::string>& arguments);
/// `epochcast train`: starts mpirun and the workers.
int run_train(const std::vector<std::string>& arguments);
/// `epochcast emulate`: the same with sleeping in place of computing.
int run_emulate(const std::vector<std::string>& arguments);
/// `epochcast measure batches|messages`: starts the program that measures.
int run_measure(const std::vector<std::string>& arguments);
/// `epochcast describe`: starts the program that reads a model file.
int run_describe(const std::vector<std::string>& arguments);
/// `epochcast import`: cost traces from other programs' records of a job.
int run_import(const std::vector<std::string>& arguments);
/// `epochcast report`: saved results of comparing forecasts with real runs.
int run_report(const std::vector<std::string>& arguments);
/// `epochcast serve`: a page on this machine that forecasts while settings change.
int run_serve(const std::vector<std::string>& arguments);
/// `epochcast compare`: two results, platforms or experiments side by side.
int run_compare(const std::vector<std::string>& arguments);
/// `epochcast list`.
int run_list(const std::vector<std::string>& arguments);
/// `epochcast completion bash|zsh`: the script for a shell's completion.
int run_completion(const std::vector<std::string>& arguments);
/// `epochcast manual FOLDER`: the manual pages.
int run_manual(const std::vector<std::string>& arguments);

/// The help of commands with own flags; that of `measure` and `describe` is next to their flags,
/// which other programs read.
[[nodiscard]] CommandHelp simulate_help();
[[nodiscard]] CommandHelp find_help();
[[nodiscard]] CommandHelp serve_help();
[[nodiscard]] CommandHelp compare_help();
[[nodiscard]] CommandHelp rehearse_help();
[[nodiscard]] CommandHelp choose_help();
[[nodiscard]] CommandHelp tune_help();
[[nodiscard]] CommandHelp calibrate_help();
[[nodiscard]] CommandHelp validate_help();
[[nodiscard]] CommandHelp train_help();
[[nodiscard]] CommandHelp emulate_help();
[[nodiscard]] CommandHelp import_help();
[[nodiscard]] CommandHelp report_help();
[[nodiscard]] CommandHelp list_help();

/// The user's commands, in the order of the help, without those for building packages (completion,
/// manual).
[[nodiscard]] std::span<const CommandInfo> commands();

}  // namespace epochcast
