// SPDX-License-Identifier: Apache-2.0
// Run by mpirun: no rank may leave a point of a measurement before the last one has enough, which
// here begins only after all others have asked in vain many times.
#include <cstdio>
#include <thread>

#include "real/measure/messages/mpi_measure_group.hpp"
#include "real/mpi/mpi_call.hpp"

namespace epochcast::real {
namespace {

constexpr int kPoints = 3;
constexpr int kAsked = 200;

/// Polls until the point is over.
void finish(MpiMeasureGroup& group) {
  while (!group.is_point_over(true)) std::this_thread::yield();
}

/// The number of times that the point was reported as over too early to a rank with enough samples.
int too_early(MpiMeasureGroup& group, const MpiSession& session) {
  int wrong = 0;
  for (int i = 0; i < kAsked && wrong == 0; ++i) wrong += group.is_point_over(true) ? 1 : 0;
  check_mpi(MPI_Send(&wrong, 1, MPI_INT, session.size() - 1, 0, MPI_COMM_WORLD), "MPI_Send");
  if (wrong == 0) finish(group);
  return wrong;
}

/// The last rank: waits for all others before it has enough.
int wait_for_others(MpiMeasureGroup& group, const MpiSession& session) {
  int all_wrong = group.is_point_over(false) ? 1 : 0;
  for (int rank = 0; rank + 1 < session.size(); ++rank) {
    int wrong = 0;
    check_mpi(MPI_Recv(&wrong, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "MPI_Recv");
    all_wrong += wrong;
  }
  finish(group);
  return all_wrong;
}

int run(int argc, char** argv) {
  const MpiSession session(&argc, &argv);
  const bool is_last = session.rank() + 1 == session.size();
  MpiMeasureGroup group(MPI_COMM_WORLD);
  int wrong = 0;
  for (int point = 0; point < kPoints; ++point) {
    group.start_point();
    wrong += is_last ? wait_for_others(group, session) : too_early(group, session);
  }
  if (wrong > 0)
    std::printf("rank %d: a point was over %d times too early\n", session.rank(), wrong);
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace epochcast::real

int main(int argc, char** argv) { return epochcast::real::run(argc, argv); }
