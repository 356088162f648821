// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace epochcast {

/// Words quoted for a POSIX shell, for scripts and for commands that are run or shown.
[[nodiscard]] std::string shell_text(const std::vector<std::string>& words);

}  // namespace epochcast
