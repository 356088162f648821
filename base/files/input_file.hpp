// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/files/file_descriptor.hpp"

namespace epochcast {

/// The content of a file, by name, and its largest size. Longer files are refused before they use
/// up the memory.
struct FileKind {
  const char* name;
  std::uintmax_t most_bytes;
};

inline constexpr FileKind kModelFile = {"a model or settings", std::uintmax_t{8} << 20};
/// Samples: 16 bytes of memory for as little as two of the file.
inline constexpr FileKind kSamplesFile = {"samples or results", std::uintmax_t{64} << 20};
inline constexpr FileKind kProfileFile = {"a profile", std::uintmax_t{8} << 30};
inline constexpr FileKind kDataFile = {"training data", std::uintmax_t{64} << 30};
inline constexpr FileKind kStateFile = {"a job's state", std::uintmax_t{1} << 40};

/// The file, open for reading. Throws a UserError when it cannot be read, is longer than its kind
/// may be, or is a folder, a device or a pipe, which may have no end.
[[nodiscard]] FileDescriptor open_input(const std::filesystem::path& file, const FileKind& kind);

/// Reads the next bytes, up to `size`, into `to`. Returns their number, 0 at the end. Throws a
/// UserError that names the file.
[[nodiscard]] std::size_t read_some(const FileDescriptor& input,
                                    void* to,
                                    std::size_t size,
                                    const std::filesystem::path& file);

}  // namespace epochcast
