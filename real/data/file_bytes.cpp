// SPDX-License-Identifier: Apache-2.0
#include "real/data/file_bytes.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace epochcast::real {

template <typename Error>
std::vector<std::uint8_t> read_bytes(const std::filesystem::path& file) {
  constexpr std::size_t kBlockBytes = std::size_t{1} << 16;
  const auto fail = [&](int reason) {
    throw Error(file.string() + ": cannot be read: " + std::generic_category().message(reason));
  };
  errno = 0;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "rb"),
                                                               &std::fclose);
  if (!stream) fail(errno);

  std::error_code unknown;
  const std::uintmax_t size = std::filesystem::file_size(file, unknown);
  std::vector<std::uint8_t> bytes;
  if (!unknown) bytes.reserve(size + 1);  // one more: the read that finds the end needs room, too
  std::size_t got = 0;
  do {
    const std::size_t room = std::max(bytes.capacity() - bytes.size(), kBlockBytes);
    const std::size_t before = bytes.size();
    bytes.resize(before + room);
    got = std::fread(bytes.data() + before, 1, room, stream.get());
    bytes.resize(before + got);
  } while (got > 0);
  if (std::ferror(stream.get()) != 0) fail(errno);
  return bytes;
}

template std::vector<std::uint8_t> read_bytes<UserError>(const std::filesystem::path& file);
template std::vector<std::uint8_t> read_bytes<RunError>(const std::filesystem::path& file);

}  // namespace epochcast::real
