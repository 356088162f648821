// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "cli/options/option_values.hpp"
#include "real/measure/message_probe.hpp"

namespace epochcast {

/// What the command line asks for.
struct MessageOptions {
  real::MessageSettings settings;
  int ranks_per_node = 0;      ///< 0: as many as share memory
  std::filesystem::path file;  ///< where the trace goes
  std::string title;           ///< "": to be made up
  std::string machine;         ///< "": to be found out
};

/// Reads the command line. Throws a UserError with every problem.
[[nodiscard]] MessageOptions parse_message_options(int argc, const char* const* argv);

}  // namespace epochcast
