// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/files/file_descriptor.hpp"

namespace epochcast {

/// A file whose bytes are locked by processes, each byte by one at most, until they unlock it or
/// end, however they end. It may be empty, and is never removed: its name is what they share.
///
/// Locks of open file descriptions (fcntl, F_OFD_SETLK): advisory, seen by other machines where the
/// file system passes locks on (NFS 4, NFS 3 with lockd), and freed by NFS when a machine is not
/// heard of for its lease.
class LockFile {
 public:
  /// Makes the file where there is none. Throws a RunError.
  explicit LockFile(const std::filesystem::path& file);

  enum class Answer { ours, taken, no_locks };  ///< no_locks: the file system has none
  [[nodiscard]] Answer try_lock(std::int64_t byte) const;
  void unlock(std::int64_t byte) const;
  /// Whether another process holds any byte.
  [[nodiscard]] bool is_taken() const;

  /// What the file says: who locked it. Replaces it; for the holder of a lock only.
  [[nodiscard]] std::string text() const;
  void write(const std::string& text) const;

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
};

/// "process 1234 on node7": this one.
[[nodiscard]] std::string process_name();

}  // namespace epochcast
