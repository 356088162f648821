// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace epochcast::real {

/// From here on this process ends when the one that started it does: mpirun, or its daemon on this
/// machine. A rank without them would compute on for nobody, and might write.
///
/// To be called before MPI is started. What Open MPI keeps on this machine for the job is removed:
/// nobody else is left to do so.
void end_with_parent();

/// Removes the names of shared memory that Open MPI has made for this rank: it stays while it is in
/// use, and is gone however the rank ends. To be called when all ranks of the machine have attached
/// to it. Returns the names.
std::vector<std::filesystem::path> unlink_shared_memory();

/// Gives empty files these names: Open MPI removes them when it is finalised, and would complain if
/// it could not.
void restore_names(const std::vector<std::filesystem::path>& names);

}  // namespace epochcast::real
