// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "cli/options/option_values.hpp"
#include "real/measure/messages/message_probe.hpp"

namespace epochcast {

/// The options of the command line.
struct MessageOptions {
  real::MessageSettings settings;
  int ranks_per_node = 0;      ///< 0: all ranks that share memory
  std::filesystem::path file;  ///< output of the trace
  std::string title;           ///< "": generated
  std::string machine;         ///< "": detected
};

/// Reads the command line. Throws a UserError with every problem.
[[nodiscard]] MessageOptions parse_message_options(int argc, const char* const* argv);

}  // namespace epochcast
