// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"

#include <array>
#include <iostream>

#include "base/error.hpp"
#include "base/text/suggest.hpp"
#include "cli/help/completion.hpp"
#include "cli/help/manual.hpp"
#include "cli/options/describe_flags.hpp"
#include "cli/options/measure_flags.hpp"

namespace epochcast {

std::span<const CommandInfo> commands() {
  static constexpr std::array kCommands = {
      CommandInfo{.name = "simulate",
                  .summary = "forecast epoch times on a simulated cluster",
                  .run = run_simulate,
                  .help = simulate_help},
      CommandInfo{.name = "find",
                  .summary = "which value of a setting meets a condition, such as exposed < 10%",
                  .run = run_find,
                  .help = find_help},
      CommandInfo{.name = "serve",
                  .summary = "a page that forecasts while you change settings",
                  .run = run_serve,
                  .help = serve_help},
      CommandInfo{
          .name = "rehearse",
          .summary = "train for real on a simulated clock: accuracy against a cluster's seconds",
          .run = run_rehearse,
          .help = rehearse_help},
      CommandInfo{.name = "choose",
                  .summary = "which strategy, settings and cluster: the least time, cost or energy "
                             "to an accuracy",
                  .run = run_choose,
                  .help = choose_help},
      CommandInfo{.name = "tune",
                  .summary = "choose K', H or other settings: the fastest to an accuracy",
                  .run = run_tune,
                  .help = tune_help},
      CommandInfo{.name = "train",
                  .summary = "train for real, with LibTorch and Open MPI",
                  .run = run_train,
                  .help = train_help},
      CommandInfo{.name = "emulate",
                  .summary = "exchange real messages between computations that are slept for what "
                             "they cost",
                  .run = run_emulate,
                  .help = emulate_help},
      CommandInfo{.name = "measure",
                  .summary = kMeasureSummary,
                  .run = run_measure,
                  .help = measure_help,
                  .words = "batches messages"},
      CommandInfo{.name = "describe",
                  .summary = kDescribeSummary,
                  .run = run_describe,
                  .help = describe_help},
      CommandInfo{.name = "import",
                  .summary = "what they cost in a job of yours: PyTorch profiles, tables of "
                             "iteration times",
                  .run = run_import,
                  .help = import_help},
      CommandInfo{.name = "calibrate",
                  .summary = "a platform from what was measured",
                  .run = run_calibrate,
                  .help = calibrate_help},
      CommandInfo{
          .name = "validate",
          .summary = "measure, calibrate, forecast, run for real: how far off were forecasts?",
          .run = run_validate,
          .help = validate_help},
      CommandInfo{.name = "report",
                  .summary = "results of validate again: tables, bounds and a page",
                  .run = run_report,
                  .help = report_help},
      CommandInfo{
          .name = "compare",
          .summary = "two results, platforms or experiments: what differs, and where the time went",
          .run = run_compare,
          .help = compare_help},
      CommandInfo{
          .name = "list",
          .summary = "platforms, devices, networks, datasets, strategies, collectives, "
                     "compressions or traces",
          .run = run_list,
          .help = list_help,
          .words =
              "collectives compressions datasets devices networks platforms strategies traces"},
  };
  return kCommands;
}

int run_completion(const std::vector<std::string>& arguments) {
  if (arguments.size() != 1) throw UserError("completion: expected bash or zsh");
  if (arguments[0] == "bash") {
    std::cout << bash_completion(commands());
  } else if (arguments[0] == "zsh") {
    std::cout << zsh_completion(commands());
  } else {
    throw UserError("completion: " + unknown_name("shell", arguments[0], {"bash", "zsh"}));
  }
  return 0;
}

int run_manual(const std::vector<std::string>& arguments) {
  if (arguments.size() != 1) throw UserError("manual: expected a folder to write the pages to");
  write_manual(commands(), arguments[0]);
  return 0;
}

}  // namespace epochcast
