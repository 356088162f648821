// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

namespace epochcast::real {

/// A communicator of some ranks of MPI_COMM_WORLD; MPI_COMM_NULL on all others. Collective to make
/// and to destroy; not freed while an exception propagates: the other ranks would block.
class SplitComm {
 public:
  /// Of the members with the same colour, in the order of ranks.
  SplitComm(bool is_member, int colour);
  ~SplitComm();
  SplitComm(const SplitComm&) = delete;
  SplitComm& operator=(const SplitComm&) = delete;

  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 0;
};

}  // namespace epochcast::real
