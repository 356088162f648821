// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <filesystem>

#include "base/process/lock_file.hpp"

namespace epochcast::real {

/// Locks a checkpoint folder for one job, from the constructor until its last rank has ended,
/// however it ends.
///
/// Every rank locks a byte of the folder's file `lock`, so a remaining rank of a killed job keeps
/// later jobs out. With a local folder on each machine, each holds its ranks' locks.
class FolderLock {
 public:
  /// Waits some seconds for an ending job. Collective over `job`. Throws a UserError that names the
  /// folder and the other job.
  FolderLock(const std::filesystem::path& folder, MPI_Comm job);

  /// Whether the folder's file system has locks; the first rank's answer.
  [[nodiscard]] bool is_locked() const { return is_locked_; }

 private:
  LockFile file_;
  bool is_locked_ = true;
};

}  // namespace epochcast::real
