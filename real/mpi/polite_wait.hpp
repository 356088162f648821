// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <functional>
#include <span>

namespace epochcast::real {

/// Waits for a barrier without taking the core from who computes: first by yielding, then by
/// sleeping for at most a twentieth of the time that has passed. Throws a RunError on MPI's errors.
void wait_politely(MPI_Request request);

/// The same for the first of several requests to be done: like MPI_Waitany, for threads that move
/// messages while others compute. Sleeps shorter, since a socket's queue may run dry meanwhile, and
/// only while `has_to_sleep` says so.
int wait_politely_for_any(std::span<MPI_Request> requests,
                          MPI_Status& status,
                          const std::function<bool()>& has_to_sleep);

/// The same for processes in real-time order, which the kernel stops for 50 ms in a second where
/// they wait without a break: after a millisecond, sleeps now and then.
int wait_with_rests_for_any(std::span<MPI_Request> requests, MPI_Status& status);

/// Returns when all of `comm` have reached this; waits politely. Collective.
void polite_barrier(MPI_Comm comm);

}  // namespace epochcast::real
