// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/files/input_file.hpp"

struct XXH3_state_s;

namespace epochcast {

/// Hexadecimal digits of a checksum.
inline constexpr std::size_t kChecksumDigits = 32;

/// The checksum of bytes that come in pieces: XXH3's 128 bits (libxxhash), to detect damage and to
/// name contents. No protection against forgery.
class Digest {
 public:
  Digest();

  void add(std::string_view bytes);
  /// As kChecksumDigits hexadecimal digits.
  [[nodiscard]] std::string text() const;

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

/// The checksum of `bytes`.
[[nodiscard]] std::string checksum(std::string_view bytes);

/// The same of a file's content, however long it is. Throws a UserError as open_input() does.
[[nodiscard]] std::string checksum_of_file(const std::filesystem::path& file, const FileKind& kind);

}  // namespace epochcast
