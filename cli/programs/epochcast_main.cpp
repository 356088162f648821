// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/process/ending.hpp"
#include "base/text/suggest.hpp"
#include "cli/commands.hpp"
#include "cli/help/show_help.hpp"
#include "results/schema.hpp"

namespace {

using epochcast::CommandInfo;
using epochcast::Ending;
using epochcast::HelpLength;

/// For packagers, and for users who want completion without a package.
constexpr CommandInfo kHidden[] = {
    {.name = "completion", .summary = "a shell's completion", .run = epochcast::run_completion},
    {.name = "manual", .summary = "the pages for man", .run = epochcast::run_manual},
};

int run_command(const CommandInfo& command, const std::vector<std::string>& arguments) {
  const HelpLength help = epochcast::help_wanted(arguments);
  if (help == HelpLength::none || command.help == nullptr) return command.run(arguments);
  epochcast::show_help(std::cout, command, help, epochcast::help_width(), arguments.front());
  return 0;
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" ||
      arguments[0] == "help") {
    epochcast::show_usage(
        arguments.empty() ? std::cerr : std::cout, epochcast::commands(), epochcast::help_width());
    return status_of(arguments.empty() ? Ending::bad_input : Ending::done);
  }
  if (arguments[0] == "--version") {
    std::cout << epochcast::program_version() << '\n';
    return 0;
  }
  std::vector<std::string> names;
  const std::vector<std::string> others = {arguments.begin() + 1, arguments.end()};
  for (const CommandInfo& command : epochcast::commands()) {
    if (arguments[0] == command.name) return run_command(command, others);
    names.emplace_back(command.name);
  }
  for (const CommandInfo& command : kHidden) {
    if (arguments[0] == command.name) return command.run(others);
  }
  throw epochcast::UserError(epochcast::unknown_name("command", arguments[0], names));
}

}  // namespace

int main(int count, char** values) {
  // A closed pipe (`| head`) is an error to be reported, not a reason to end
  // silently.
  std::signal(SIGPIPE, SIG_IGN);
  return epochcast::exit_status("epochcast", [&] {
    const int status = run({values + 1, values + count});
    std::cout.flush();
    if (!std::cout) throw epochcast::RunError("the result could not be written to stdout");
    return status;
  });
}
