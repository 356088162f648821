// SPDX-License-Identifier: Apache-2.0
#include "real/measure/messages/split_comm.hpp"

#include <exception>

#include "real/mpi/mpi_call.hpp"

namespace epochcast::real {

SplitComm::SplitComm(bool is_member, int colour) {
  check_mpi(MPI_Comm_split(MPI_COMM_WORLD, is_member ? colour : MPI_UNDEFINED, 0, &comm_),
            "MPI_Comm_split");
  if (comm_ == MPI_COMM_NULL) return;
  check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
}

SplitComm::~SplitComm() {
  if (comm_ != MPI_COMM_NULL && std::uncaught_exceptions() == 0) MPI_Comm_free(&comm_);
}

}  // namespace epochcast::real
