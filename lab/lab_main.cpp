// SPDX-License-Identifier: Apache-2.0
// `epochcast-lab`: studies of the model on one machine (lab/README.md).
#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/process/ending.hpp"
#include "base/text/suggest.hpp"
#include "cli/help/show_help.hpp"
#include "lab/commands/commands.hpp"

namespace {

using epochcast::CommandInfo;
using epochcast::Ending;
using epochcast::HelpLength;

void show_commands(std::ostream& out) {
  out << "epochcast-lab: studies of the model on one machine (lab/README.md)\n\n";
  for (const CommandInfo& command : epochcast::lab_commands())
    out << "  epochcast-lab " << command.name << ": " << command.summary << '\n';
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h") {
    show_commands(arguments.empty() ? std::cerr : std::cout);
    return status_of(arguments.empty() ? Ending::bad_input : Ending::done);
  }
  std::vector<std::string> names;
  const std::vector<std::string> others = {arguments.begin() + 1, arguments.end()};
  for (const CommandInfo& command : epochcast::lab_commands()) {
    names.emplace_back(command.name);
    if (arguments[0] != command.name) continue;
    const HelpLength help = epochcast::help_wanted(others);
    if (help == HelpLength::none) return command.run(others);
    epochcast::show_help(std::cout, command, help, epochcast::help_width());
    return 0;
  }
  throw epochcast::UserError(epochcast::unknown_name("command", arguments[0], names));
}

}  // namespace

int main(int count, char** values) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error to be reported
  return epochcast::exit_status("epochcast-lab", [&] {
    const int status = run({values + 1, values + count});
    std::cout.flush();
    if (!std::cout) throw epochcast::RunError("the result could not be written to stdout");
    return status;
  });
}
