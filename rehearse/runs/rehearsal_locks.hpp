// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/process/lock_file.hpp"

namespace epochcast {

/// Who rehearses what in a folder that several calls share: each rehearsal is one call's at a time.
///
/// A byte of the folder's file `lock` stands for a rehearsal. A call that is killed holds no locks;
/// what it was writing is removed by the next that is alone.
class RehearsalLocks {
 public:
  /// Removes drafts in the folder when no other call is at work there. Throws a RunError.
  explicit RehearsalLocks(const std::filesystem::path& folder);

  /// False: another call is at it. Where a file system has no locks, calls may do the same twice;
  /// what they write is whole, and the same.
  [[nodiscard]] bool try_take(const std::string& key) const;
  void release(const std::string& key) const;

 private:
  LockFile file_;
};

}  // namespace epochcast
