// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <streambuf>
#include <string>

#include "base/files/input_file.hpp"

namespace epochcast {

/// The text of a file, decompressed if it is gzipped, in pieces.
///
/// Reading throws a UserError when the file is damaged, exceeds the size limit of its kind, or the
/// largest plausible compression ratio (a decompression bomb).
class PackedText final : public std::streambuf {
 public:
  /// Throws a UserError when the file cannot be read or is empty.
  explicit PackedText(std::filesystem::path file, const FileKind& kind = kProfileFile);

  /// The first non-blank character; 0 without one. Skips those before it.
  [[nodiscard]] char first_character();
  /// The remaining text. Also throws a UserError when it is longer than `most_bytes`.
  [[nodiscard]] std::string rest(std::uintmax_t most_bytes);

 protected:
  int_type underflow() override;

 private:
  [[noreturn]] void fail(const std::string& what) const;
  /// Whether the file consists of gzip streams only: zlib ignores trailing data.
  [[nodiscard]] bool ends_with_gzip() const;

  std::filesystem::path file_;
  FileKind kind_;
  std::uintmax_t packed_bytes_ = 0;
  std::uintmax_t bytes_ = 0;  ///< unpacked so far
  std::unique_ptr<gzFile_s, int (*)(gzFile)> packed_;
  std::array<char, 1 << 16> piece_{};
};

}  // namespace epochcast
