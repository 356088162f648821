// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace epochcast::real {

/// Ends the whole job, with each problem on a line of stderr that begins with the program's name.
/// What all ranks notice at once, the first says alone: its end is theirs.
[[noreturn]] void give_up(const std::string& program,
                          int rank,
                          const std::vector<std::string>& problems,
                          int status);

}  // namespace epochcast::real
