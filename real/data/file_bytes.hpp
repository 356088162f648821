// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/error.hpp"

namespace epochcast::real {

/// All bytes of `file`. Throws an `Error` (UserError while a data set is opened, RunError later)
/// `FILE: cannot be read: REASON`.
template <typename Error>
[[nodiscard]] std::vector<std::uint8_t> read_bytes(const std::filesystem::path& file);

extern template std::vector<std::uint8_t> read_bytes<UserError>(const std::filesystem::path& file);
extern template std::vector<std::uint8_t> read_bytes<RunError>(const std::filesystem::path& file);

}  // namespace epochcast::real
