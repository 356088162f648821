// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace epochcast::real {

/// The content of `file`. Throws a RunError when it cannot be read.
[[nodiscard]] std::string file_text(const std::filesystem::path& file);

/// Replaces `file` by one with this text, which then is on the disk, or leaves it untouched and
/// throws a RunError.
void write_atomically(const std::filesystem::path& file, const std::string& text);

}  // namespace epochcast::real
