// SPDX-License-Identifier: Apache-2.0
// Run by mpirun: all-reduces a payload of many short segments by every schedule, with the weights
// known to all and not, and checks every number; and that ranks under SCHED_RR sleep while they
// wait.
#include <sched.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "collectives/registry.hpp"
#include "real/mpi/mpi_call.hpp"
#include "real/mpi/schedule_run.hpp"

namespace epochcast::real {
namespace {

constexpr std::size_t kCount = 10'007;
constexpr std::size_t kSegmentBytes = 400;  // blocks are far longer than the window of segments

/// Exact in binary, like the products with the weights and all sums.
float number_of(int rank, std::size_t i) {
  return static_cast<float>(rank + 1) + 0.25F * static_cast<float>(i);
}
float weight_of(int rank) { return 1.0F / static_cast<float>(1 << rank); }

/// Number of wrong values on this rank at the end.
int wrong_values(const Schedule& schedule, bool knows_weights, const MpiSession& session) {
  std::vector<float> values, weights, expected(kCount, 0);
  for (std::size_t i = 0; i < kCount; ++i) values.push_back(number_of(session.rank(), i));
  for (int rank = 0; rank < session.size(); ++rank) {
    if (knows_weights) weights.push_back(weight_of(rank));
    for (std::size_t i = 0; i < kCount; ++i) expected[i] += weight_of(rank) * number_of(rank, i);
  }

  ScheduleRun run(kSegmentBytes);
  run.run(schedule,
          payload_of(std::span(values)),
          weight_of(session.rank()),
          weights,
          session.rank(),
          MPI_COMM_WORLD);

  int wrong = 0;
  for (std::size_t i = 0; i < kCount; ++i) wrong += values[i] == expected[i] ? 0 : 1;
  return wrong;
}

/// Whether the first rank sleeps repeatedly while it waits for the last one, under SCHED_RR; true
/// if that policy is not permitted.
bool rests_while_waiting(const Schedule& schedule, const MpiSession& session) {
  constexpr int kPriority = 10;
  constexpr int kFewestRests = 100;
  const sched_param real_time{.sched_priority = kPriority};
  const sched_param usual{};
  check_mpi(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  if (session.rank() > 0) {
    if (session.rank() + 1 == session.size())
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    return wrong_values(schedule, true, session) == 0;
  }
  const bool is_allowed = sched_setscheduler(0, SCHED_RR, &real_time) == 0;
  rusage before{};
  rusage after{};
  getrusage(RUSAGE_THREAD, &before);
  const bool is_right = wrong_values(schedule, true, session) == 0;
  getrusage(RUSAGE_THREAD, &after);
  if (is_allowed) sched_setscheduler(0, SCHED_OTHER, &usual);
  const bool rests = after.ru_nvcsw - before.ru_nvcsw >= kFewestRests;
  if (is_allowed && !rests) std::printf("waits in real-time order without a rest\n");
  return is_right && (rests || !is_allowed);
}

int run(int argc, char** argv) {
  const MpiSession session(&argc, &argv);
  GroupShape shape;
  for (int rank = 0; rank < session.size(); ++rank) shape.node_of_rank.push_back(rank / 2);
  bool is_good = true;
  for (const AllReduceName& name : all_reduce_names()) {
    const auto schedule = make_all_reduce(name.name, shape, sizeof(float) * kCount);
    for (const bool knows_weights : {false, true}) {
      int wrong = wrong_values(*schedule, knows_weights, session);
      check_mpi(MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
                "MPI_Allreduce");
      is_good = is_good && wrong == 0;
      if (wrong > 0 && session.rank() == 0) {
        std::printf("%s, weights %s: %d numbers are wrong\n",
                    std::string(name.name).c_str(),
                    knows_weights ? "known" : "not known",
                    wrong);
      }
    }
  }
  if (session.size() > 1) {
    const auto ring = make_all_reduce("ring", shape, sizeof(float) * kCount);
    is_good = rests_while_waiting(*ring, session) && is_good;
  }
  return is_good ? 0 : 1;
}

}  // namespace
}  // namespace epochcast::real

int main(int argc, char** argv) { return epochcast::real::run(argc, argv); }
