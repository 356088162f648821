// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>

namespace epochcast::real {

/// Ends the whole job for what was thrown, with its exit status, and each problem on a line of
/// stderr that begins with the program's name. What all ranks notice at once, the first says alone:
/// its end is theirs.
[[noreturn]] void give_up(const std::string& program, int rank, const std::exception& error);

}  // namespace epochcast::real
