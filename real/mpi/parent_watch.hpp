// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "base/process/temp_folder.hpp"

namespace epochcast::real {

/// Makes this process end with the one that started it: mpirun, or its daemon on this machine. An
/// orphaned rank would otherwise compute on, and might write files.
///
/// To be called before MPI is started. Then removes Open MPI's files of the job on this machine.
void end_with_parent();

/// The folder of Open MPI's shared memory of this rank, which is removed however the rank ends. To
/// be created before MPI is started.
class SharedMemory {
 public:
  /// In /dev/shm, or as set by the environment; without effect if neither is writable.
  SharedMemory();
  /// Unlinks the files, which exist as long as they are in use. To be called when all ranks of the
  /// machine have attached to them.
  void unlink();
  /// Creates empty files of these names: Open MPI removes them in MPI_Finalize, and reports an
  /// error if they are missing.
  void restore_names() const;

 private:
  std::optional<TempFolder> folder_;
  std::vector<std::filesystem::path> names_;
};

}  // namespace epochcast::real
