// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/program_options/options_description.hpp>

#include "cli/help/command_help.hpp"

// The flags of `epochcast measure`, separate from its programs: these need LibTorch and MPI, help
// and completion do not.

namespace epochcast {

/// Of `measure batches`, in the form for its program.
[[nodiscard]] boost::program_options::options_description batch_flags();
/// Of `measure messages`, in the form for its program.
[[nodiscard]] boost::program_options::options_description message_flags();

inline constexpr const char* kMeasureSummary = "what batches and messages cost on this machine";
[[nodiscard]] CommandHelp measure_help();

}  // namespace epochcast
