// SPDX-License-Identifier: Apache-2.0
#include "real/mpi/give_up.hpp"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <thread>

#include "base/process/ending.hpp"

namespace epochcast::real {

void give_up(const std::string& program, int rank, const std::exception& error) {
  constexpr std::chrono::milliseconds kHeadStart{500};
  constexpr int kMost = 4;
  std::this_thread::sleep_for(std::min(rank, kMost) * kHeadStart);
  std::string text;
  for (const std::string& problem : problems_of(error)) text += program + ": " + problem + "\n";
  std::cerr << text << std::flush;
  const int status = status_of(error);
  MPI_Abort(MPI_COMM_WORLD, status);
  _exit(status);
}

}  // namespace epochcast::real
