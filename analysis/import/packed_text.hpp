// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace epochcast {

/// A larger profile is refused: it would hold more iterations than anyone needs.
constexpr std::size_t kMostTextBytes = std::size_t{2} << 30;

/// The content of a file, unpacked where it is gzipped. Throws a UserError when it cannot be read,
/// is empty, damaged, or longer than `most_bytes` when unpacked.
[[nodiscard]] std::string read_packed_text(const std::filesystem::path& file,
                                           std::size_t most_bytes = kMostTextBytes);

}  // namespace epochcast
