// SPDX-License-Identifier: Apache-2.0
#include "cli/help/manual.hpp"

#include "base/error.hpp"
#include "base/files/output_file.hpp"
#include "results/schema.hpp"

namespace epochcast {
namespace {

/// Text escaped for troff: hyphens that can be copied, no accidental requests.
std::string troff(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\\') {
      safe += "\\e";
    } else if (c == '-') {
      safe += "\\-";
    } else {
      safe += c;
    }
  }
  return safe.starts_with('.') || safe.starts_with('\'') ? "\\&" + safe : safe;
}

std::string heading(const std::string& name) {
  return ".TH " + name + " 1 \"\" \"" + program_version() + "\" \"User Commands\"\n";
}

std::string option_text(const OptionHelp& option) {
  std::string flag = "\\fB" + troff("--" + option.name) + "\\fR";
  if (!option.value.empty()) {
    const std::string value = "\\fI" + troff(option.value) + "\\fR";
    flag += option.is_optional ? "[=" + value + "]" : " " + value;
  }
  std::string help = option.help;
  if (!option.fallback.empty()) help += " (default: " + option.fallback + ")";
  return ".TP\n" + flag + "\n" + troff(help) + "\n";
}

std::string page_name(const CommandInfo& command) {
  return "epochcast-" + std::string(command.name);
}

}  // namespace

std::string program_page(std::span<const CommandInfo> commands) {
  std::string page = heading("EPOCHCAST") +
                     ".SH NAME\nepochcast \\- forecast epoch times of data\\-parallel training\n"
                     ".SH SYNOPSIS\n.B epochcast\n.I COMMAND\n[\\fIOPTIONS\\fR]\n"
                     ".SH DESCRIPTION\nEpochcast simulates data\\-parallel training on a cluster "
                     "under each of several strategies, and runs the same strategies for real.\n"
                     ".SH COMMANDS\n";
  for (const CommandInfo& command : commands) {
    page += ".TP\n\\fB" + troff(std::string(command.name)) + "\\fR\n" +
            troff(std::string(command.summary)) + "\n";
  }
  page +=
      ".SH ENVIRONMENT\n.TP\n.B EPOCHCAST_DATA\nThe folder of the catalogue (models and traces).\n"
      ".TP\n.B EPOCHCAST_PATH\nFolders with models and traces of your own, separated by colons.\n"
      ".TP\n.B NO_COLOR\nNo colours on terminals, when it is set.\n"
      ".SH EXIT STATUS\n0: done. 1: a run failed, a bound was exceeded or no setting reached the "
      "target. 2: bad input.\n.SH SEE ALSO\n";
  std::vector<std::string> others;
  for (const CommandInfo& command : commands) {
    if (command.help != nullptr) others.push_back(page_name(command));
  }
  for (const std::string& other : others)
    page += ".BR " + troff(other) + " (1)" + (&other == &others.back() ? "" : ",") + "\n";
  return page;
}

std::string command_page(const CommandInfo& command) {
  const CommandHelp help = command.help();
  const std::string name = page_name(command);
  std::string upper = name;
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  std::string page = heading(upper) + ".SH NAME\n" + troff(name) + " \\- " +
                     troff(std::string(command.summary)) + "\n.SH SYNOPSIS\n.B epochcast " +
                     troff(std::string(command.name)) + "\n" + troff(help.usage) + "\n";
  if (!help.about.empty()) page += ".SH DESCRIPTION\n" + troff(help.about) + "\n";
  if (!help.groups.empty()) page += ".SH OPTIONS\n";
  for (const HelpGroup& group : help.groups) {
    page += ".SS " + troff(group.title) + "\n";
    for (const OptionHelp& option : group.options) page += option_text(option);
  }
  if (!help.examples.empty()) page += ".SH EXAMPLES\n";
  for (const std::string& example : help.examples) page += ".PP\n" + troff(example) + "\n";
  return page + ".SH SEE ALSO\n.BR epochcast (1)\n";
}

void write_manual(std::span<const CommandInfo> commands, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw RunError(folder.string() + ": cannot be made: " + error.message());
  OutputFile(folder / "epochcast.1").write(program_page(commands));
  for (const CommandInfo& command : commands) {
    if (command.help != nullptr)
      OutputFile(folder / (page_name(command) + ".1")).write(command_page(command));
  }
}

}  // namespace epochcast
