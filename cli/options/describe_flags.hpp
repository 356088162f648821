// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options/options_description.hpp>

#include "cli/help/command_help.hpp"

// The flags of `epochcast describe`, separate from its program, which needs LibTorch.

namespace epochcast {

[[nodiscard]] boost::program_options::options_description describe_flags();

inline constexpr const char* kDescribeSummary =
    "a model file of yours: its layers, parameters and operations";
[[nodiscard]] CommandHelp describe_help();

}  // namespace epochcast
