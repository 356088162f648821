// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "core/error.hpp"
#include "core/process/ending.hpp"
#include "core/suggest.hpp"

namespace {

using epochcast::Ending;

struct NamedCommand {
  const char* name;
  const char* help;
  int (*run)(const std::vector<std::string>& arguments);
};

constexpr NamedCommand kCommands[] = {
    {"simulate", "forecast epoch times on a simulated cluster", epochcast::run_simulate},
    {"rehearse",
     "train for real on a simulated clock: accuracy against a cluster's seconds",
     epochcast::run_rehearse},
    {"tune", "choose K', H or other settings: the fastest to an accuracy", epochcast::run_tune},
    {"train", "train for real, with LibTorch and Open MPI", epochcast::run_train},
    {"emulate",
     "exchange real messages between computations that are slept for what they cost",
     epochcast::run_emulate},
    {"measure", "what batches and messages cost on this machine", epochcast::run_measure},
    {"describe",
     "a model file of yours: its layers, parameters and operations",
     epochcast::run_describe},
    {"import",
     "what they cost in a job of yours: PyTorch profiles, tables of iteration times",
     epochcast::run_import},
    {"calibrate", "a platform from what was measured", epochcast::run_calibrate},
    {"validate",
     "measure, calibrate, forecast, run for real: how far off were forecasts?",
     epochcast::run_validate},
    {"report", "results of validate again: tables, bounds and a page", epochcast::run_report},
    {"list",
     "platforms, devices, networks, datasets, strategies, collectives or traces",
     epochcast::run_list},
};

void show_usage(std::ostream& out) {
  out << "epochcast: how long does an epoch take, under each training strategy, on which "
         "cluster?\n\n";
  for (const NamedCommand& command : kCommands) {
    const std::string name = command.name;
    out << "  epochcast " << name << std::string(11 - name.size(), ' ') << command.help << '\n';
  }
  out << "\n`epochcast COMMAND --help` explains a command.\n";
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" ||
      arguments[0] == "help") {
    show_usage(arguments.empty() ? std::cerr : std::cout);
    return status_of(arguments.empty() ? Ending::bad_input : Ending::done);
  }
  if (arguments[0] == "--version") {
    std::cout << "epochcast " EPOCHCAST_VERSION "\n";
    return 0;
  }
  std::vector<std::string> names;
  for (const NamedCommand& command : kCommands) {
    if (arguments[0] == command.name) return command.run({arguments.begin() + 1, arguments.end()});
    names.emplace_back(command.name);
  }
  throw epochcast::UserError(epochcast::unknown_name("command", arguments[0], names));
}

}  // namespace

int main(int count, char** values) {
  // A reader that has gone away (`| head`) is an error of ours to report, not a reason to die
  // silently.
  std::signal(SIGPIPE, SIG_IGN);
  return epochcast::exit_status("epochcast", [&] {
    const int status = run({values + 1, values + count});
    std::cout.flush();
    if (!std::cout) throw epochcast::RunError("the result could not be written to stdout");
    return status;
  });
}
