// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace epochcast {

/// The kind of the processor from /proc/cpuinfo: its model and instruction sets, which affect the
/// last digits of learned values. "" if unknown.
[[nodiscard]] std::string processor_text();

/// The inputs of measurements and real runs on this machine besides the command: the machine's
/// name, processor and number of cores, the environment variables of Open MPI, thread and
/// mathematics libraries, and checksums of the files that these variables or `words` name.
[[nodiscard]] nlohmann::json surroundings(const std::vector<std::string>& words);

}  // namespace epochcast
