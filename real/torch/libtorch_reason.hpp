// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>

// Free of LibTorch headers.

namespace epochcast::real {

/// What LibTorch says went wrong, in a line: the first, or, where it tells the calls of a script,
/// the last.
[[nodiscard]] std::string reason_of(const std::exception& error);

}  // namespace epochcast::real
