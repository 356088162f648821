// SPDX-License-Identifier: Apache-2.0
#include "real/common/text_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include "core/error.hpp"

namespace epochcast::real {
namespace {

/// Writes the text to the disk, not only to the system's cache. False: errno says why not.
bool write_and_sync(const std::filesystem::path& file, std::string_view text) {
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return false;
  bool is_good = true;
  while (is_good && !text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written >= 0) text.remove_prefix(static_cast<std::size_t>(written));
    is_good = written >= 0 || errno == EINTR;
  }
  is_good = is_good && fsync(descriptor) == 0;
  const int reason = errno;
  const bool is_closed = close(descriptor) == 0;
  if (!is_good) errno = reason;
  return is_good && is_closed;
}

}  // namespace

std::string file_text(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream) throw RunError(file.string() + ": cannot be read");
  return text;
}

void write_atomically(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::path draft = file;
  draft += ".tmp" + std::to_string(getpid());
  std::error_code error;
  if (write_and_sync(draft, text)) {
    std::filesystem::rename(draft, file, error);
  } else {
    error.assign(errno, std::generic_category());
  }
  if (error) {
    std::error_code ignored;
    std::filesystem::remove(draft, ignored);
    throw RunError(file.string() + ": cannot be written: " + error.message());
  }
}

}  // namespace epochcast::real
