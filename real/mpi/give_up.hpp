// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>

namespace epochcast::real {

/// Ends the whole job because of an exception, with its exit status; prints each problem on a line
/// of stderr that begins with the program's name. Problems common to all ranks are printed by the
/// first rank, whose end ends the others.
[[noreturn]] void give_up(const std::string& program, int rank, const std::exception& error);

}  // namespace epochcast::real
