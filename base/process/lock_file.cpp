// SPDX-License-Identifier: Apache-2.0
#include "base/process/lock_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace epochcast {
namespace {

struct flock lock_of(std::int64_t byte, std::int64_t length, int type) {
  struct flock lock = {};
  lock.l_type = static_cast<short>(type);
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = length;
  return lock;
}

}  // namespace

LockFile::LockFile(const std::filesystem::path& file)
    : path_(file), file_(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  if (!file_.is_open())
    throw RunError(file.string() + ": cannot be opened: " + std::strerror(errno));
}

LockFile::Answer LockFile::try_lock(std::int64_t byte) const {
  struct flock lock = lock_of(byte, 1, F_WRLCK);
  if (fcntl(file_.number(), F_OFD_SETLK, &lock) == 0) return Answer::ours;
  return errno == EAGAIN || errno == EACCES ? Answer::taken : Answer::no_locks;
}

void LockFile::unlock(std::int64_t byte) const {
  struct flock lock = lock_of(byte, 1, F_UNLCK);
  fcntl(file_.number(), F_OFD_SETLK, &lock);
}

bool LockFile::is_taken() const {
  struct flock lock = lock_of(0, 0, F_WRLCK);
  return fcntl(file_.number(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

std::string LockFile::text() const {
  std::array<char, 256> bytes{};
  const ssize_t size = pread(file_.number(), bytes.data(), bytes.size(), 0);
  return {bytes.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

void LockFile::write(const std::string& text) const {
  const bool is_written =
      ftruncate(file_.number(), 0) == 0 &&
      pwrite(file_.number(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
  if (!is_written) throw RunError(path_.string() + ": cannot be written: " + std::strerror(errno));
}

std::string process_name() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return "process " + std::to_string(getpid()) + " on " + host.data();
}

}  // namespace epochcast
