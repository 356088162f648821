// SPDX-License-Identifier: Apache-2.0
#include "real/mpi/give_up.hpp"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <thread>

namespace epochcast::real {

void give_up(const std::string& program,
             int rank,
             const std::vector<std::string>& problems,
             int status) {
  constexpr std::chrono::milliseconds kHeadStart{500};
  constexpr int kMost = 4;
  std::this_thread::sleep_for(std::min(rank, kMost) * kHeadStart);
  std::string text;
  for (const std::string& problem : problems) text += program + ": " + problem + "\n";
  std::cerr << text << std::flush;
  MPI_Abort(MPI_COMM_WORLD, status);
  _exit(status);
}

}  // namespace epochcast::real
