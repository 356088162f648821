// SPDX-License-Identifier: Apache-2.0
// Run by mpirun: all-reduces a payload of many short segments by every schedule, with the weights
// known to all and not, and checks every number.
#include <cstdio>
#include <string>
#include <vector>

#include "collectives/registry.hpp"
#include "real/mpi/mpi_call.hpp"
#include "real/mpi/schedule_run.hpp"

namespace epochcast::real {
namespace {

constexpr std::size_t kCount = 10'007;
constexpr std::size_t kSegment = 100;  // floats: blocks are far longer than the window of segments

/// Exact in binary, as are their products with the weights and all sums.
float number_of(int rank, std::size_t i) {
  return static_cast<float>(rank + 1) + 0.25F * static_cast<float>(i);
}
float weight_of(int rank) { return 1.0F / static_cast<float>(1 << rank); }

/// Number of wrong values that this rank ends with.
int wrong_values(const Schedule& schedule, bool knows_weights, const MpiSession& session) {
  std::vector<float> values, weights, expected(kCount, 0);
  for (std::size_t i = 0; i < kCount; ++i) values.push_back(number_of(session.rank(), i));
  for (int rank = 0; rank < session.size(); ++rank) {
    if (knows_weights) weights.push_back(weight_of(rank));
    for (std::size_t i = 0; i < kCount; ++i) expected[i] += weight_of(rank) * number_of(rank, i);
  }

  ScheduleRun run(kSegment);
  run.all_reduce(
      schedule, values, weight_of(session.rank()), weights, session.rank(), MPI_COMM_WORLD);

  int wrong = 0;
  for (std::size_t i = 0; i < kCount; ++i) wrong += values[i] == expected[i] ? 0 : 1;
  return wrong;
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
  return is_good ? 0 : 1;
}

}  // namespace
}  // namespace epochcast::real

int main(int argc, char** argv) { return epochcast::real::run(argc, argv); }
