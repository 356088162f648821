// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

namespace epochcast::real {

/// Waits for a barrier without taking the core from who computes: first by yielding, then by
/// sleeping for at most a twentieth of the time that has passed. Throws a RunError on MPI's errors.
void wait_politely(MPI_Request request);

/// Returns when all of `comm` have reached this; waits politely. Collective.
void polite_barrier(MPI_Comm comm);

}  // namespace epochcast::real
