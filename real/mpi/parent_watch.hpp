// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace epochcast::real {

/// From here on this process ends when the one that started it does: mpirun, or its daemon on this
/// machine. A rank without them would compute on for nobody, and might write.
///
/// To be called before MPI is started. What Open MPI keeps on this machine for the job is removed:
/// nobody else is left to do so.
void end_with_parent();

/// Removes the names of shared memory that Open MPI has made for this rank: it stays while it is in
/// use, and is gone however the rank ends. To be called when all ranks of the machine have attached
/// to it.
void unlink_shared_memory();

}  // namespace epochcast::real
