// SPDX-License-Identifier: Apache-2.0
// The placement of ranks on machines.
#include <map>

#include "real/mpi/mpi_call.hpp"
#include "real/mpi/mpi_fabric.hpp"

namespace epochcast::real {

std::vector<int> node_of_each_rank(int ranks_per_node) {
  int rank = 0;
  int size = 1;
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
  MPI_Comm machine = MPI_COMM_NULL;
  check_mpi(
      MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine),
      "MPI_Comm_split_type");
  int leader = rank;  // the lowest rank of the machine names it
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &leader, 1, MPI_INT, MPI_MIN, machine), "MPI_Allreduce");
  int local = 0;
  check_mpi(MPI_Comm_rank(machine, &local), "MPI_Comm_rank");
  check_mpi(MPI_Comm_free(&machine), "MPI_Comm_free");
  const int mine[2] = {leader, ranks_per_node > 0 ? local / ranks_per_node : 0};
  std::vector<int> all(2 * static_cast<std::size_t>(size));
  check_mpi(MPI_Allgather(mine, 2, MPI_INT, all.data(), 2, MPI_INT, MPI_COMM_WORLD),
            "MPI_Allgather");
  std::map<std::vector<int>, int> nodes;
  std::vector<int> node_of_rank;
  for (std::size_t i = 0; i < all.size(); i += 2) {
    const auto next = static_cast<int>(nodes.size());
    node_of_rank.push_back(nodes.try_emplace({all[i], all[i + 1]}, next).first->second);
  }
  return node_of_rank;
}

int rank_on_machine() {
  MPI_Comm machine = MPI_COMM_NULL;
  int rank = 0;
  check_mpi(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine),
            "MPI_Comm_split_type");
  check_mpi(MPI_Comm_rank(machine, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_free(&machine), "MPI_Comm_free");
  return rank;
}

}  // namespace epochcast::real
