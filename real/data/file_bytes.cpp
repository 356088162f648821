// SPDX-License-Identifier: Apache-2.0
#include "real/data/file_bytes.hpp"

namespace epochcast::real {

template <typename Error>
std::vector<std::uint8_t> read_bytes(const std::filesystem::path& file, const FileKind& kind) try {
  constexpr std::size_t kBlockBytes = std::size_t{1} << 16;
  const FileDescriptor input = open_input(file, kind);
  std::vector<std::uint8_t> bytes;
  bytes.reserve(std::filesystem::file_size(file) + kBlockBytes);
  for (std::size_t got = 1; got > 0;) {
    const std::size_t before = bytes.size();
    bytes.resize(before + kBlockBytes);
    got = read_some(input, bytes.data() + before, kBlockBytes, file);
    bytes.resize(before + got);
  }
  return bytes;
} catch (const UserError& error) {
  throw Error(error.what());
}

template std::vector<std::uint8_t> read_bytes<UserError>(const std::filesystem::path& file,
                                                         const FileKind& kind);
template std::vector<std::uint8_t> read_bytes<RunError>(const std::filesystem::path& file,
                                                        const FileKind& kind);

}  // namespace epochcast::real
