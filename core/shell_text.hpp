// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace epochcast {

/// Words as a POSIX shell takes them again, each as it is: in scripts, in commands that are run by
/// a shell, and in commands that are shown.
[[nodiscard]] std::string shell_text(const std::vector<std::string>& words);

}  // namespace epochcast
