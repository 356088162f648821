// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "cli/help/command_help.hpp"

namespace epochcast {

enum class HelpLength { none, brief, full };
/// What help a command's arguments ask for: --help or -h, --help all.
[[nodiscard]] HelpLength help_wanted(const std::vector<std::string>& arguments);

/// Characters of a line of help on stdout: its terminal's, from 60 to 100; 80 without one.
[[nodiscard]] std::size_t help_width();
/// The program's: its commands.
void show_usage(std::ostream& out, std::span<const CommandInfo> commands, std::size_t width);
/// A command's: the options most used, or all of them by subject. `word`: behind the command's
/// name; options of another one are left out.
void show_help(std::ostream& out,
               const CommandInfo& command,
               HelpLength length,
               std::size_t width,
               const std::string& word = {});

/// What `epochcast NAME` would show, for the program that does its work: on stdout, where the
/// arguments of main ask for it. Returns whether they do.
[[nodiscard]] bool shows_help(int argc,
                              const char* const* argv,
                              const CommandInfo& command,
                              const std::string& word = {});

}  // namespace epochcast
