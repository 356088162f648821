// SPDX-License-Identifier: Apache-2.0
#include "real/mpi/wait_with_backoff.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "real/mpi/mpi_call.hpp"

namespace epochcast::real {

namespace {

using Clock = std::chrono::steady_clock;

/// How a waiting thread polls: without sleeping at first, then with sleeps that grow with the time
/// that has passed.
struct BackoffPolicy {
  std::chrono::microseconds eager;    ///< time without sleeps
  bool yields;                        ///< whether it yields the core meanwhile
  int share;                          ///< a sleep lasts this part of the time that has passed
  std::chrono::microseconds longest;  ///< sleep
};

constexpr BackoffPolicy kForBarriers = {.eager = std::chrono::microseconds(200),
                                        .yields = true,
                                        .share = 20,
                                        .longest = std::chrono::microseconds(200)};
constexpr BackoffPolicy kForMessages = {.eager = std::chrono::microseconds(20),
                                        .yields = true,
                                        .share = 8,
                                        .longest = std::chrono::microseconds(100)};
/// MPI itself yields at each poll if it is configured to. A second yield would let all other
/// threads of the core run twice before the next poll.
constexpr BackoffPolicy kUnderSchedRr = {.eager = std::chrono::milliseconds(1),
                                         .yields = false,
                                         .share = 8,
                                         .longest = std::chrono::microseconds(20)};

template <typename IsDone, typename HasToSleep>
void wait_until(IsDone is_done, const BackoffPolicy& policy, HasToSleep has_to_sleep) {
  const Clock::time_point start = Clock::now();
  while (!is_done()) {
    const auto waited = Clock::now() - start;
    if (waited < policy.eager || !has_to_sleep()) {
      if (policy.yields) sched_yield();
    } else {
      std::this_thread::sleep_for(std::min<Clock::duration>(waited / policy.share, policy.longest));
    }
  }
}

/// Like MPI_Waitany.
template <typename HasToSleep>
int wait_for_any(std::span<MPI_Request> requests,
                 MPI_Status& status,
                 const BackoffPolicy& policy,
                 HasToSleep has_to_sleep) {
  int index = MPI_UNDEFINED;
  wait_until(
      [&] {
        int is_done = 0;
        check_mpi(
            MPI_Testany(
                static_cast<int>(requests.size()), requests.data(), &index, &is_done, &status),
            "MPI_Testany");
        return is_done != 0;
      },
      policy,
      has_to_sleep);
  return index;
}

}  // namespace

void wait_with_backoff(MPI_Request request) {
  wait_until(
      [&request] {
        int is_done = 0;
        check_mpi(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
        return is_done != 0;
      },
      kForBarriers,
      [] { return true; });
}

void wait_with_backoff(const std::function<bool()>& is_done) {
  wait_until(is_done, kForMessages, [] { return true; });
}

int wait_any_with_backoff(std::span<MPI_Request> requests,
                          MPI_Status& status,
                          const std::function<bool()>& has_to_sleep) {
  return wait_for_any(requests, status, kForMessages, has_to_sleep);
}

int wait_any_under_sched_rr(std::span<MPI_Request> requests, MPI_Status& status) {
  return wait_for_any(requests, status, kUnderSchedRr, [] { return true; });
}

void barrier_with_backoff(MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(comm, &request), "MPI_Ibarrier");
  wait_with_backoff(request);
}

}  // namespace epochcast::real
