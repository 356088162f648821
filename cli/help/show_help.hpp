// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "cli/help/command_help.hpp"

namespace epochcast {

enum class HelpLength { none, brief, full };
/// What help a command's arguments ask for: --help or -h, --help all.
[[nodiscard]] HelpLength help_wanted(const std::vector<std::string>& arguments);

/// The program's: its commands.
void show_usage(std::ostream& out, std::span<const CommandInfo> commands);
/// A command's: the options most used, or all of them by subject.
void show_help(std::ostream& out, const CommandInfo& command, HelpLength length);

}  // namespace epochcast
