// SPDX-License-Identifier: Apache-2.0
#include "real/measure/messages/mpi_measure_group.hpp"

#include "real/measure/messages/mpi_group_exchange.hpp"
#include "real/mpi/mpi_call.hpp"
#include "real/mpi/wait_with_backoff.hpp"

namespace epochcast::real {

void MpiMeasureGroup::start_point() {
  has_enough_ = false;
  barrier_with_backoff(comm_);
}

bool MpiMeasureGroup::is_point_over(bool has_enough) {
  if (!has_enough) return false;
  if (!has_enough_) {
    check_mpi(MPI_Ibarrier(comm_, &barrier_), "MPI_Ibarrier");
    has_enough_ = true;
  }
  int is_over = 0;
  check_mpi(MPI_Test(&barrier_, &is_over, MPI_STATUS_IGNORE), "MPI_Test");
  return is_over != 0;
}

std::unique_ptr<GroupExchange> MpiMeasureGroup::exchange(const std::string& all_reduce,
                                                         bool computes_on_cores) {
  return std::make_unique<MpiGroupExchange>(all_reduce,
                                            computes_on_cores ? Cores::computing : Cores::idle);
}

}  // namespace epochcast::real
