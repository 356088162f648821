// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace epochcast {

/// The whole file. Throws a UserError when it cannot be read.
[[nodiscard]] std::string read_text_file(const std::filesystem::path& file);

}  // namespace epochcast
