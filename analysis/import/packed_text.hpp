// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <streambuf>
#include <string>

#include "core/files/input_file.hpp"

namespace epochcast {

/// The text of a file, unpacked where it is gzipped, a piece at a time.
///
/// Reading throws a UserError when the file is damaged, or becomes longer than its kind may be, or
/// than so many times its packed size that it holds nothing but itself.
class PackedText final : public std::streambuf {
 public:
  /// Throws a UserError when the file cannot be read or is empty.
  explicit PackedText(std::filesystem::path file, const FileKind& kind = kProfileFile);

  /// The first character that is no blank; 0 when there is none. Skips those before it.
  [[nodiscard]] char first_character();
  /// All that is left. Throws a UserError, too, when that is longer than `most_bytes`.
  [[nodiscard]] std::string rest(std::uintmax_t most_bytes);

 protected:
  int_type underflow() override;

 private:
  [[noreturn]] void fail(const std::string& what) const;
  /// Whether nothing but gzip streams is in the file: zlib ignores what follows them.
  [[nodiscard]] bool ends_with_gzip() const;

  std::filesystem::path file_;
  FileKind kind_;
  std::uintmax_t packed_bytes_ = 0;
  std::uintmax_t bytes_ = 0;  ///< unpacked so far
  std::unique_ptr<gzFile_s, int (*)(gzFile)> packed_;
  std::array<char, 1 << 16> piece_{};
};

}  // namespace epochcast
