// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <cstring>
#include <string>

#include "base/error.hpp"

namespace epochcast {

/// Throws a RunError with the reason (errno) why the system call `call` failed.
[[noreturn]] inline void fail_call(const char* call) {
  throw RunError(std::string(call) + ": " + std::strerror(errno));
}

}  // namespace epochcast
