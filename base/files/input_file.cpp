// SPDX-License-Identifier: Apache-2.0
#include "base/files/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "base/error.hpp"
#include "base/text/units.hpp"

namespace epochcast {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, int reason) {
  throw UserError(file.string() + ": cannot be read: " + std::generic_category().message(reason));
}

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  return S_ISFIFO(mode) ? "a pipe" : "a device";
}

}  // namespace

FileDescriptor open_input(const std::filesystem::path& file, const FileKind& kind) {
  // O_NONBLOCK: opening a pipe must not wait for a writer.
  FileDescriptor input(open(file.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status = {};
  if (!input.is_open() || fstat(input.number(), &status) != 0) fail(file, errno);
  if (!S_ISREG(status.st_mode))
    throw UserError(file.string() + ": is " + kind_of(status.st_mode) + "; expected a file");
  if (static_cast<std::uintmax_t>(status.st_size) > kind.most_bytes) {
    throw UserError(file.string() + ": is " + format_bytes(static_cast<double>(status.st_size)) +
                    "; expected at most " + format_bytes(static_cast<double>(kind.most_bytes)) +
                    " of " + kind.name);
  }
  return input;
}

std::size_t read_some(const FileDescriptor& input,
                      void* to,
                      std::size_t size,
                      const std::filesystem::path& file) {
  ssize_t got = 0;
  do {
    got = read(input.number(), to, size);
  } while (got < 0 && errno == EINTR);
  if (got < 0) fail(file, errno);
  return static_cast<std::size_t>(got);
}

}  // namespace epochcast
