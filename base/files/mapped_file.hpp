// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "base/files/input_file.hpp"

namespace epochcast {

/// Files of tensors and tokens, which are mapped: only pages that are read take memory.
inline constexpr FileKind kMappedFile = {"tensors or tokens", std::uintmax_t{1} << 44};

/// A file's content, mapped into memory: read on access, and shared by the processes of a machine.
/// A file that gets shorter meanwhile ends the program (SIGBUS).
class MappedFile {
 public:
  /// Throws a UserError as open_input() does.
  explicit MappedFile(const std::filesystem::path& file, const FileKind& kind = kMappedFile);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
};

}  // namespace epochcast
