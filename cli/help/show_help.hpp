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
/// The help that a command's arguments request: --help or -h, --help all.
[[nodiscard]] HelpLength help_wanted(const std::vector<std::string>& arguments);

/// Characters of a line of help on stdout: the width of its terminal, from 60 to 100; 80 without
/// one.
[[nodiscard]] std::size_t help_width();
/// The program's help: its commands.
void show_usage(std::ostream& out, std::span<const CommandInfo> commands, std::size_t width);
/// A command's help: the most used options, or all of them by subject. `word`: after the command's
/// name; options of other words are left out.
void show_help(std::ostream& out,
               const CommandInfo& command,
               HelpLength length,
               std::size_t width,
               const std::string& word = {});

/// The help of `epochcast NAME`, for the program that implements it: on stdout, if the arguments of
/// main request it. Returns whether they do.
[[nodiscard]] bool shows_help(int argc,
                              const char* const* argv,
                              const CommandInfo& command,
                              const std::string& word = {});

}  // namespace epochcast
