// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <functional>
#include <span>

namespace epochcast::real {

/// Waits for a barrier and leaves the core to computing threads: yields first, then sleeps for at
/// most a twentieth of the time that has passed. Throws a RunError on MPI's errors.
void wait_with_backoff(MPI_Request request);

/// Waits until `is_done` in the same way; it tests requests.
void wait_with_backoff(const std::function<bool()>& is_done);

/// The same for the first of several requests to be done, like MPI_Waitany: for threads that move
/// messages while others compute. Sleeps are shorter, since a socket's queue may run dry meanwhile;
/// there are none while `has_to_sleep` returns false.
int wait_any_with_backoff(std::span<MPI_Request> requests,
                          MPI_Status& status,
                          const std::function<bool()>& has_to_sleep);

/// The same for processes under SCHED_RR: after a millisecond, sleeps now and then. The kernel
/// stops real-time processes that spin without a break for 50 ms in every second.
int wait_any_under_sched_rr(std::span<MPI_Request> requests, MPI_Status& status);

/// A barrier of all of `comm` that waits with backoff. Collective.
void barrier_with_backoff(MPI_Comm comm);

}  // namespace epochcast::real
