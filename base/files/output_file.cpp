// SPDX-License-Identifier: Apache-2.0
#include "base/files/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <ostream>
#include <string>
#include <system_error>

#include "base/error.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;

using Status = struct stat;

[[noreturn]] void refuse(const fs::path& name, const std::string& reason) {
  throw UserError(name.string() + ": cannot be written: " + reason);
}

[[noreturn]] void refuse(const fs::path& name, int reason) {
  refuse(name, std::generic_category().message(reason));
}

/// The status of the file that the name leads to; none if it does not exist. Throws a UserError if
/// that is unknown.
std::optional<Status> status_of(const fs::path& file, const fs::path& name) {
  Status status = {};
  if (stat(file.c_str(), &status) == 0) return status;
  if (errno != ENOENT) refuse(name, errno);
  return std::nullopt;
}

bool is_same(const Status& a, const Status& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

fs::path folder_of(const fs::path& file) {
  return file.parent_path().empty() ? "." : file.parent_path();
}

/// Whether the path is an entry of this process's table of open files, as /dev/stdout leads to.
bool is_descriptor(const fs::path& file) {
  std::error_code none;
  return fs::is_symlink(file, none) &&
         fs::canonical(folder_of(file), none) == "/proc/" + std::to_string(getpid()) + "/fd";
}

/// Whether the file, its path without links, is somewhere in the folder.
bool is_below(fs::path file, const Status& folder) {
  while (file.has_relative_path()) {
    file = file.parent_path();
    Status status = {};
    if (stat(file.c_str(), &status) == 0 && is_same(status, folder)) return true;
  }
  return false;
}

/// The target of links, whether it exists or not.
fs::path followed(const fs::path& name) {
  constexpr int kMostLinks = 40;  // as the system
  fs::path file = name;
  std::error_code error;
  for (int links = 0; fs::is_symlink(file, error) && !is_descriptor(file); ++links) {
    if (links == kMostLinks) refuse(name, ELOOP);
    const fs::path target = fs::read_symlink(file, error);
    if (error) refuse(name, error.value());
    file = folder_of(file) / target;
  }
  return file;
}

/// A device or pipe, open for writing.
FileDescriptor opened(const fs::path& file, const fs::path& name) {
  // O_NONBLOCK: opening a pipe must not wait for a reader.
  FileDescriptor descriptor(open(file.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!descriptor.is_open() && errno == ENXIO) refuse(name, "the pipe has no reader");
  if (!descriptor.is_open()) refuse(name, errno);
  const int flags = fcntl(descriptor.number(), F_GETFL);
  if (fcntl(descriptor.number(), F_SETFL, flags & ~O_NONBLOCK) != 0) refuse(name, errno);
  return descriptor;
}

/// A duplicate of the process's own open file.
FileDescriptor duplicate(const fs::path& file, const fs::path& name) {
  FileDescriptor descriptor(
      fcntl(std::stoi(file.filename().string()), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!descriptor.is_open()) refuse(name, errno);
  if ((fcntl(descriptor.number(), F_GETFL) & O_ACCMODE) == O_RDONLY)
    refuse(name, "it is open for reading");
  return descriptor;
}

/// "stdout" or "stderr" if the program prints to this file.
std::optional<std::string> printed_to(const Status& file) {
  for (const auto& [stream, name] :
       {std::pair(STDOUT_FILENO, "stdout"), std::pair(STDERR_FILENO, "stderr")}) {
    Status status = {};
    if (fstat(stream, &status) == 0 && is_same(status, file)) return name;
  }
  return std::nullopt;
}

/// Whether only the owner may replace the file, as in /tmp (sticky bit).
bool is_protected(const Status& file, const Status& folder) {
  const uid_t user = geteuid();
  return (folder.st_mode & S_ISVTX) != 0 && user != 0 && user != file.st_uid &&
         user != folder.st_uid;
}

bool is_mount_point(const fs::path& file) {
  struct statx status = {};
  return statx(AT_FDCWD, file.c_str(), 0, 0, &status) == 0 &&
         (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

/// Tries to make a file in the target's folder.
void try_draft(const fs::path& target, const fs::path& name) {
  try {
    const FileDraft draft(target, name);
  } catch (const RunError& error) {
    throw UserError(error.what());
  }
}

}  // namespace

OutputFile::OutputFile(const fs::path& name) : name_(name) {
  if (name_.empty()) return;
  target_ = followed(name_);
  if (is_descriptor(target_)) {
    open_ = std::make_shared<FileDescriptor>(duplicate(target_, name_));
  } else {
    try_place();
  }
}

void OutputFile::try_place() {
  const std::optional<Status> file = status_of(target_, name_);
  if (file && S_ISDIR(file->st_mode)) refuse(name_, "it is a folder; expected a file");
  if (file && S_ISBLK(file->st_mode)) refuse(name_, "it is a disk; expected a file");
  if (file && !S_ISREG(file->st_mode)) {
    open_ = std::make_shared<FileDescriptor>(opened(target_, name_));
    return;
  }
  const fs::path folder = folder_of(target_);
  const std::optional<Status> place = status_of(folder, name_);
  if (!place || !S_ISDIR(place->st_mode)) refuse(name_, "there is no folder " + folder.string());
  if (target_.filename().empty()) refuse(name_, "it names a folder; expected a file");
  if (file) {
    if (const auto stream = printed_to(*file))
      refuse(name_, *stream + " goes there; expected another file, or /dev/" + *stream);
    if (access(target_.c_str(), W_OK) != 0) refuse(name_, errno);
    if (is_protected(*file, *place)) refuse(name_, EPERM);
    if (is_mount_point(target_)) refuse(name_, "it is a mount point, which cannot be replaced");
  }
  try_draft(target_, name_);
}

void OutputFile::write(const Content& content, Safety safety) const {
  if (!is_wanted()) return;
  if (open_) {
    write_content(open_->number(), content, name_);
    return;
  }
  FileDraft draft(target_, name_);
  draft.fill(content);
  draft.publish(safety);
}

void OutputFile::write(std::string_view text) const {
  write([&](std::ostream& out) { out << text; });
}

FileDescriptor OutputFile::open_at_end() const {
  FileDescriptor descriptor(open_ ? fcntl(open_->number(), F_DUPFD_CLOEXEC, 0)
                                  : open(target_.c_str(), O_RDWR | O_APPEND | O_CLOEXEC));
  if (!descriptor.is_open()) fail_to_write(name_, errno);
  return descriptor;
}

bool OutputFile::replaces(const fs::path& file) const {
  if (!is_wanted() || open_) return false;
  Status own = {};
  Status other = {};
  if (stat(target_.c_str(), &own) != 0 || stat(file.c_str(), &other) != 0) return false;
  return S_ISDIR(other.st_mode) ? is_below(fs::canonical(target_), other) : is_same(own, other);
}

bool OutputFile::replaces(const OutputFile& other) const {
  if (!is_wanted() || !other.is_wanted() || open_ || other.open_) return false;
  if (replaces(other.target_)) return true;
  Status own = {};
  Status folder = {};
  return target_.filename() == other.target_.filename() &&
         stat(folder_of(target_).c_str(), &own) == 0 &&
         stat(folder_of(other.target_).c_str(), &folder) == 0 && is_same(own, folder);
}

void keep_apart(const std::vector<OutputFile>& outputs, const std::vector<fs::path>& inputs) {
  for (auto output = outputs.begin(); output != outputs.end(); ++output) {
    const auto same_file = std::find_if(
        outputs.begin(), output, [&](const OutputFile& other) { return output->replaces(other); });
    if (same_file != output)
      refuse(output->name(), "it is " + same_file->name().string() + ", which is written, too");
    for (const fs::path& input : inputs) {
      if (!output->replaces(input)) continue;
      refuse(output->name(),
             (fs::is_directory(input) ? "it is a file of " : "it is ") + input.string() +
                 ", an input");
    }
  }
}

void check_output_folder(const fs::path& folder) {
  fs::path there = folder.filename().empty() ? folder.parent_path() : folder;
  std::optional<Status> status = status_of(there, folder);
  for (; !status; status = status_of(there, folder)) there = folder_of(there);
  if (!S_ISDIR(status->st_mode)) refuse(folder, there.string() + " is a file; expected a folder");
  try_draft(there / "file", folder);
}

}  // namespace epochcast
