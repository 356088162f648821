// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/files/input_file.hpp"

namespace epochcast {

/// The whole file. Throws a UserError as open_input() does.
[[nodiscard]] std::string read_text_file(const std::filesystem::path& file,
                                         const FileKind& kind = kModelFile);

}  // namespace epochcast
