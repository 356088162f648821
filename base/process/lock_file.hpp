// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/files/file_descriptor.hpp"

namespace epochcast {

/// A file whose bytes are locked by processes, each byte by one at most, until they unlock it or
/// end, however they end. It may be empty, and is never removed.
///
/// Locks of open file descriptions (fcntl, F_OFD_SETLK): advisory, visible to other machines if the
/// file system supports it (NFS 4, NFS 3 with lockd), and freed by NFS when a machine's lease ends.
class LockFile {
 public:
  /// Creates the file if it does not exist. Throws a RunError.
  explicit LockFile(const std::filesystem::path& file);

  enum class Answer { ours, taken, no_locks };  ///< no_locks: the file system has none
  [[nodiscard]] Answer try_lock(std::int64_t byte) const;
  void unlock(std::int64_t byte) const;
  /// Whether another process holds any byte.
  [[nodiscard]] bool is_taken() const;

  /// The content of the file: the name of the process that locked it. write() replaces it; for the
  /// holder of a lock only.
  [[nodiscard]] std::string text() const;
  void write(const std::string& text) const;

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
};

/// "process 1234 on node7": this one.
[[nodiscard]] std::string process_name();

}  // namespace epochcast
