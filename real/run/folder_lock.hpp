// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <filesystem>

#include "core/process/lock_file.hpp"

namespace epochcast::real {

/// A checkpoint folder that one job writes at a time: from the constructor until its last rank has
/// ended, however it ends.
///
/// In the folder's file `lock` every rank holds a byte, so that no rank of a job whose other
/// processes were killed can write into what a later job does. Where folders are the machines' own,
/// each keeps its ranks' locks.
class FolderLock {
 public:
  /// Waits some seconds for a job that is just ending. Collective over `job`. Throws a UserError
  /// that names the folder and the other job.
  FolderLock(const std::filesystem::path& folder, MPI_Comm job);

  /// Whether the folder's file system has locks; the first rank's answer.
  [[nodiscard]] bool is_locked() const { return is_locked_; }

 private:
  LockFile file_;
  bool is_locked_ = true;
};

}  // namespace epochcast::real
