// SPDX-License-Identifier: Apache-2.0
#include "real/mpi/polite_wait.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "real/mpi/mpi_call.hpp"

namespace epochcast::real {

void wait_politely(MPI_Request request) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds kEager{200};
  constexpr std::chrono::microseconds kLongest{200};
  const Clock::time_point start = Clock::now();
  for (int is_done = 0;;) {
    check_mpi(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
    if (is_done != 0) return;
    const auto waited = Clock::now() - start;
    if (waited < kEager) {
      sched_yield();
    } else {
      std::this_thread::sleep_for(std::min<Clock::duration>(waited / 20, kLongest));
    }
  }
}

void polite_barrier(MPI_Comm comm) {
  MPI_Request everybody = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(comm, &everybody), "MPI_Ibarrier");
  wait_politely(everybody);
}

}  // namespace epochcast::real
