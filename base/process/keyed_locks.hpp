// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/process/lock_file.hpp"

namespace epochcast {

/// Locks of results in a folder that several processes share: only one process works on a result at
/// a time. Keys are checksums.
///
/// Each key has a byte of the folder's file `lock`. A killed process releases its locks; its drafts
/// are removed by the next process that is alone.
class KeyedLocks {
 public:
  /// Removes drafts in the folder if no other process works there. Throws a RunError.
  explicit KeyedLocks(const std::filesystem::path& folder);

  /// False: another process works on it. Without locks of the file system, two processes may
  /// compute the same result; both write it whole.
  [[nodiscard]] bool try_take(const std::string& key) const;
  void release(const std::string& key) const;

 private:
  LockFile file_;
};

}  // namespace epochcast
