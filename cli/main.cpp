// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "core/error.hpp"
#include "core/suggest.hpp"

namespace {

constexpr const char* kUsage =
    R"(epochcast: how long does an epoch take, under each training strategy, on which cluster?

  epochcast simulate   forecast epoch times on a simulated cluster
  epochcast train      train for real, with LibTorch and Open MPI
  epochcast emulate    exchange real messages between computations that are slept for what they cost
  epochcast measure    what batches and messages cost on this machine
  epochcast import     what they cost in a job of yours: PyTorch profiles, tables of iteration times
  epochcast list       platforms, networks, datasets, strategies, collectives or traces

`epochcast COMMAND --help` explains a command.
)";

int run(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" ||
      arguments[0] == "help") {
    (arguments.empty() ? std::cerr : std::cout) << kUsage;
    return arguments.empty() ? 2 : 0;
  }
  if (arguments[0] == "--version") {
    std::cout << "epochcast " EPOCHCAST_VERSION "\n";
    return 0;
  }
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (arguments[0] == "simulate") return epochcast::run_simulate(rest);
  if (arguments[0] == "train") return epochcast::run_train(rest);
  if (arguments[0] == "emulate") return epochcast::run_emulate(rest);
  if (arguments[0] == "measure") return epochcast::run_measure(rest);
  if (arguments[0] == "import") return epochcast::run_import(rest);
  if (arguments[0] == "list") return epochcast::run_list(rest);
  throw epochcast::UserError(epochcast::unknown_name(
      "command", arguments[0], {"simulate", "train", "emulate", "measure", "import", "list"}));
}

}  // namespace

int main(int count, char** values) {
  // A reader that has gone away (`| head`) is an error of ours to report, not a reason to die
  // silently.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    const int status = run({values + 1, values + count});
    std::cout.flush();
    if (!std::cout) throw epochcast::RunError("the result could not be written to stdout");
    return status;
  } catch (const epochcast::UserError& error) {
    for (const std::string& problem : error.problems())
      std::cerr << "epochcast: " << problem << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "epochcast: " << error.what() << '\n';
    return 1;
  }
}
