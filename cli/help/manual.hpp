// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "cli/help/command_help.hpp"

namespace epochcast {

/// The program's page, epochcast(1), for man.
[[nodiscard]] std::string program_page(std::span<const CommandInfo> commands);
/// The page of a command, epochcast-simulate(1): its full help.
[[nodiscard]] std::string command_page(const CommandInfo& command);

/// Writes epochcast.1 and a page for each command into a folder, which is created if missing.
void write_manual(std::span<const CommandInfo> commands, const std::filesystem::path& folder);

}  // namespace epochcast
