// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "cli/help/command_help.hpp"

namespace epochcast {

/// The script by which bash completes commands, options, their words, the catalogue's names and
/// files. It calls `epochcast list WHAT --names` on demand, which includes the names of the user's
/// own files.
[[nodiscard]] std::string bash_completion(std::span<const CommandInfo> commands);
/// The same for zsh, which also shows the meaning of options.
[[nodiscard]] std::string zsh_completion(std::span<const CommandInfo> commands);

}  // namespace epochcast
