// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/error.hpp"
#include "base/files/input_file.hpp"

namespace epochcast::real {

/// All bytes of `file`. Throws an `Error` (UserError while a data set is opened, RunError later)
/// as open_input() does.
template <typename Error>
[[nodiscard]] std::vector<std::uint8_t> read_bytes(const std::filesystem::path& file,
                                                   const FileKind& kind = kDataFile);

extern template std::vector<std::uint8_t> read_bytes<UserError>(const std::filesystem::path& file,
                                                                const FileKind& kind);
extern template std::vector<std::uint8_t> read_bytes<RunError>(const std::filesystem::path& file,
                                                               const FileKind& kind);

}  // namespace epochcast::real
