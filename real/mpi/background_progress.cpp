// SPDX-License-Identifier: Apache-2.0
#include "real/mpi/background_progress.hpp"

#include <chrono>

#include "real/mpi/priority_change.hpp"

namespace epochcast::real {

BackgroundProgress::BackgroundProgress(MPI_Comm comm)
    : thread_([comm](const std::stop_token& stop) {
        constexpr std::chrono::milliseconds kPause{1};
        const PriorityChange ahead(PriorityChange::To::ahead_of_computing);
        while (!stop.stop_requested()) {
          int has_come = 0;
          // What fails here fails again in the call that waits for it, which tells.
          MPI_Iprobe(MPI_ANY_SOURCE, kUnusedTag, comm, &has_come, MPI_STATUS_IGNORE);
          std::this_thread::sleep_for(kPause);
        }
      }) {}

}  // namespace epochcast::real
