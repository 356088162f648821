// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>

// Free of LibTorch headers.

namespace epochcast::real {

/// The reason of a LibTorch error, as one line: the first or, if it lists the calls of a script,
/// the last.
[[nodiscard]] std::string reason_of(const std::exception& error);

}  // namespace epochcast::real
