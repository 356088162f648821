// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "sim/recording/recording.hpp"

namespace epochcast {

/// Writes a recording as Chakra execution traces, `FOLDER/NAME.RANK.et` for every rank, and the
/// process groups as `FOLDER/NAME.groups.json`: ASTRA-sim's workload configuration
/// (`FOLDER/NAME`) and communicator group configuration. Makes the folder if its parent exists.
///
/// Durations are whole microseconds; rounding errors carry over to the next node. A barrier, which
/// ASTRA-sim does not support, is an all-reduce of 4 bytes. Throws a RunError when a file cannot be
/// written.
void write_execution_traces(Recording recording,
                            const std::filesystem::path& folder,
                            const std::string& name);

}  // namespace epochcast
