// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "core/process/temp_folder.hpp"

namespace epochcast::real {

/// From here on this process ends when the one that started it does: mpirun, or its daemon on this
/// machine. A rank without them would compute on for nobody, and might write.
///
/// To be called before MPI is started. What Open MPI keeps on this machine for the job is removed:
/// nobody else is left to do so.
void end_with_parent();

/// Where Open MPI puts this rank's shared memory: a folder of the rank's own, which is gone however
/// the rank ends. To be made before MPI is started.
class SharedMemory {
 public:
  /// In /dev/shm, or where the environment has it; without it where neither can be written.
  SharedMemory();
  /// Removes its names: it stays while it is in use. To be called when all ranks of the machine
  /// have attached to it.
  void unlink();
  /// Gives empty files the names: Open MPI removes them when it is finalised, and would complain if
  /// it could not.
  void restore_names() const;

 private:
  std::optional<TempFolder> folder_;
  std::vector<std::filesystem::path> names_;
};

}  // namespace epochcast::real
