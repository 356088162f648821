// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace epochcast {

/// What kind of processor this is, as /proc/cpuinfo tells: its model and instruction sets, on which
/// the last digits of what is learned depend. "" where it is not told.
[[nodiscard]] std::string processor_text();

/// What measurements and real runs started from here depend on, besides the command: this machine's
/// name, processor and number of cores, the environment that Open MPI, thread and mathematics
/// libraries look at, and checksums of the files that this environment or `words` name.
[[nodiscard]] nlohmann::json surroundings(const std::vector<std::string>& words);

}  // namespace epochcast
