// SPDX-License-Identifier: Apache-2.0
#include "base/files/file_draft.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <ostream>
#include <streambuf>
#include <string>
#include <system_error>

#include "base/error.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kMode = 0666;  // reduced by the umask

/// Writes to a file descriptor and keeps the reason of a failure.
class DescriptorBuffer : public std::streambuf {
 public:
  explicit DescriptorBuffer(int descriptor) : descriptor_(descriptor) { empty(); }

  /// An errno; 0 without failure.
  [[nodiscard]] int reason() const { return reason_; }

 protected:
  int_type overflow(int_type next) override {
    if (sync() != 0) return traits_type::eof();
    if (!traits_type::eq_int_type(next, traits_type::eof())) sputc(traits_type::to_char_type(next));
    return traits_type::not_eof(next);
  }

  std::streamsize xsputn(const char* text, std::streamsize size) override {
    if (size <= epptr() - pptr()) return std::streambuf::xsputn(text, size);
    if (sync() != 0 || !write_all(text, static_cast<std::size_t>(size))) return 0;
    return size;
  }

  int sync() override {
    const bool is_good = write_all(pbase(), static_cast<std::size_t>(pptr() - pbase()));
    empty();
    return is_good ? 0 : -1;
  }

 private:
  void empty() { setp(buffer_.data(), buffer_.data() + buffer_.size()); }

  bool write_all(const char* text, std::size_t size) {
    while (size > 0 && reason_ == 0) {
      const ssize_t written = ::write(descriptor_, text, size);
      if (written >= 0) {
        text += written;
        size -= static_cast<std::size_t>(written);
      } else if (errno != EINTR) {
        reason_ = errno;
      }
    }
    return reason_ == 0;
  }

  int descriptor_;
  int reason_ = 0;
  std::array<char, std::size_t{1} << 16> buffer_{};
};

const std::string kDraft = ".epochcast-";

/// The n-th name of this process's drafts in a folder.
fs::path draft_name(const fs::path& folder, int n) {
  return folder / (kDraft + std::to_string(getpid()) + "-" + std::to_string(n));
}

/// Calls `make` with one name after another until it succeeds. Returns the name; empty on failure,
/// with the reason in errno.
template <typename Make>
fs::path unused_name(const fs::path& folder, const Make& make) {
  for (int n = 0;; ++n) {
    fs::path name = draft_name(folder, n);
    if (make(name)) return name;
    if (errno != EEXIST) return {};
  }
}

/// The path by which an open file without a name can be given one.
std::string path_of(const FileDescriptor& file) {
  return "/proc/self/fd/" + std::to_string(file.number());
}

}  // namespace

void fail_to_write(const fs::path& name, int reason) {
  const bool is_limited = reason == EFBIG;
  throw RunError(
      name.string() + ": cannot be written: " + std::generic_category().message(reason) +
      (is_limited ? "; raise the limit (ulimit -f), or choose another file system" : ""));
}

void write_content(int descriptor, const Content& content, const fs::path& name) {
  DescriptorBuffer buffer(descriptor);
  std::ostream stream(&buffer);
  content(stream);
  stream.flush();
  if (buffer.reason() != 0) fail_to_write(name, buffer.reason());
  if (!stream) throw RunError(name.string() + ": cannot be written");
}

FileDraft::FileDraft(fs::path file, fs::path name)
    : file_(std::move(file)),
      name_(std::move(name)),
      folder_(file_.parent_path().empty() ? "." : file_.parent_path()) {
  descriptor_ = FileDescriptor(open(folder_.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kMode));
  // Some file systems have no unnamed files; some systems cannot name them.
  if (descriptor_.is_open() && access(path_of(descriptor_).c_str(), F_OK) != 0) descriptor_ = {};
  if (!descriptor_.is_open()) {
    path_ = unused_name(folder_, [&](const fs::path& unused) {
      descriptor_ = FileDescriptor(
          open(unused.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, kMode));
      return descriptor_.is_open();
    });
  }
  if (!descriptor_.is_open()) fail_to_write(name_, errno);
  struct stat replaced = {};
  if (lstat(file_.c_str(), &replaced) != 0 || !S_ISREG(replaced.st_mode)) return;
  // Best effort: only root may give files away.
  static_cast<void>(fchown(descriptor_.number(), replaced.st_uid, replaced.st_gid) == 0);
  static_cast<void>(fchmod(descriptor_.number(), replaced.st_mode & 0777) == 0);
}

FileDraft::~FileDraft() {
  if (!path_.empty()) unlink(path_.c_str());
}

void FileDraft::fill(const Content& content) const {
  write_content(descriptor_.number(), content, name_);
}

void FileDraft::give_name() {
  const std::string nameless = path_of(descriptor_);
  path_ = unused_name(folder_, [&](const fs::path& unused) {
    return linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, unused.c_str(), AT_SYMLINK_FOLLOW) == 0;
  });
  if (path_.empty()) fail_to_write(name_, errno);
}

void FileDraft::publish(Safety safety) {
  if (safety == Safety::disk && fsync(descriptor_.number()) != 0) fail_to_write(name_, errno);
  if (path_.empty()) give_name();
  if (std::rename(path_.c_str(), file_.c_str()) != 0) fail_to_write(name_, errno);
  path_.clear();
  if (safety == Safety::cache) return;
  const FileDescriptor folder(open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const bool is_synced = folder.is_open() && fsync(folder.number()) == 0;
  // EINVAL: this file system needs no sync of folders. EACCES: may be written, not read.
  if (!is_synced && errno != EINVAL && errno != EACCES) fail_to_write(name_, errno);
}

void replace_file(const fs::path& file, const Content& content) {
  FileDraft draft(file, file);
  draft.fill(content);
  draft.publish(Safety::disk);
}

void replace_file(const fs::path& file, std::string_view text) {
  replace_file(file, [&](std::ostream& out) { out << text; });
}

void remove_drafts(const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().filename().string().starts_with(kDraft)) fs::remove(entry.path(), ignored);
  }
}

}  // namespace epochcast
