// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/files/input_file.hpp"

namespace epochcast {

/// The parsed file. Throws a UserError with file, line and column when it cannot be read or parsed,
/// or when it is nested too deeply, or has a duplicate key.
[[nodiscard]] nlohmann::json read_json_file(const std::filesystem::path& file,
                                            const FileKind& kind = kModelFile);
/// The same for a text in memory; `name` is the file in messages.
[[nodiscard]] nlohmann::json parse_json(std::string_view text, const std::string& name);

}  // namespace epochcast
