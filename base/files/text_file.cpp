// SPDX-License-Identifier: Apache-2.0
#include "base/files/text_file.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace epochcast {

std::string read_text_file(const std::filesystem::path& file, const FileKind& kind) {
  constexpr std::size_t kBlockBytes = std::size_t{1} << 16;
  const FileDescriptor input = open_input(file, kind);
  std::error_code unknown;
  const std::uintmax_t size = std::filesystem::file_size(file, unknown);
  std::string text;
  if (!unknown) text.reserve(std::min(size, kind.most_bytes) + kBlockBytes);
  for (std::size_t got = 1; got > 0 && text.size() <= kind.most_bytes;) {
    const std::size_t before = text.size();
    text.resize(before + kBlockBytes);
    got = read_some(input, text.data() + before, kBlockBytes, file);
    text.resize(before + got);
  }
  if (text.size() > kind.most_bytes) throw UserError(file.string() + ": grows while it is read");
  return text;
}

}  // namespace epochcast
