// SPDX-License-Identifier: Apache-2.0
#include "real/mpi/polite_wait.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "real/mpi/mpi_call.hpp"

namespace epochcast::real {

namespace {

using Clock = std::chrono::steady_clock;

/// For how long not to sleep, and whether to yield meanwhile; then sleeps are this part of the time
/// that has passed, at most the longest.
struct Manners {
  std::chrono::microseconds eager;
  bool yields;
  int share;
  std::chrono::microseconds longest;
};

constexpr Manners kForBarriers = {.eager = std::chrono::microseconds(200),
                                  .yields = true,
                                  .share = 20,
                                  .longest = std::chrono::microseconds(200)};
constexpr Manners kForMessages = {.eager = std::chrono::microseconds(20),
                                  .yields = true,
                                  .share = 8,
                                  .longest = std::chrono::microseconds(100)};
/// Who waits in MPI yields there once each time it looks, if MPI is told to; yielding twice lets
/// all others of the core pass twice before the next look.
constexpr Manners kInRealTimeOrder = {.eager = std::chrono::milliseconds(1),
                                      .yields = false,
                                      .share = 8,
                                      .longest = std::chrono::microseconds(20)};

template <typename IsDone, typename HasToSleep>
void wait_until(IsDone is_done, const Manners& manners, HasToSleep has_to_sleep) {
  const Clock::time_point start = Clock::now();
  while (!is_done()) {
    const auto waited = Clock::now() - start;
    if (waited < manners.eager || !has_to_sleep()) {
      if (manners.yields) sched_yield();
    } else {
      std::this_thread::sleep_for(
          std::min<Clock::duration>(waited / manners.share, manners.longest));
    }
  }
}

/// Like MPI_Waitany.
template <typename HasToSleep>
int wait_for_any(std::span<MPI_Request> requests,
                 MPI_Status& status,
                 const Manners& manners,
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
      manners,
      has_to_sleep);
  return index;
}

}  // namespace

void wait_politely(MPI_Request request) {
  wait_until(
      [&request] {
        int is_done = 0;
        check_mpi(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
        return is_done != 0;
      },
      kForBarriers,
      [] { return true; });
}

int wait_politely_for_any(std::span<MPI_Request> requests,
                          MPI_Status& status,
                          const std::function<bool()>& has_to_sleep) {
  return wait_for_any(requests, status, kForMessages, has_to_sleep);
}

int wait_with_rests_for_any(std::span<MPI_Request> requests, MPI_Status& status) {
  return wait_for_any(requests, status, kInRealTimeOrder, [] { return true; });
}

void polite_barrier(MPI_Comm comm) {
  MPI_Request everybody = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(comm, &everybody), "MPI_Ibarrier");
  wait_politely(everybody);
}

}  // namespace epochcast::real
