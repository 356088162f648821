// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/process/lock_file.hpp"

namespace epochcast {

/// Locks of rehearsals in a folder that several processes share: only one process works on a
/// rehearsal at a time.
///
/// Each rehearsal has a byte of the folder's file `lock`. A killed process releases its locks; its
/// drafts are removed by the next process that is alone.
class RehearsalLocks {
 public:
  /// Removes drafts in the folder if no other process works there. Throws a RunError.
  explicit RehearsalLocks(const std::filesystem::path& folder);

  /// False: another process works on it. Without locks of the file system, two processes may
  /// compute the same result; both write it whole.
  [[nodiscard]] bool try_take(const std::string& key) const;
  void release(const std::string& key) const;

 private:
  LockFile file_;
};

}  // namespace epochcast
