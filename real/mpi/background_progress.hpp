// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <stop_token>
#include <thread>

namespace epochcast::real {

/// Lets MPI go on while its ranks compute.
///
/// Open MPI moves data only inside MPI calls. A send may be complete for its rank while its end
/// still waits for room in the socket: should the rank now compute for a second, the receiver waits
/// for a second. A simulated message does not stop because its sender computes, nor does one of
/// NCCL or Gloo. This thread calls MPI every millisecond, which takes some microseconds.
class BackgroundProgress {
 public:
  /// `comm`: whose errors are returned; no message of it may have the tag kUnusedTag.
  explicit BackgroundProgress(MPI_Comm comm);

  static constexpr int kUnusedTag = 9;

 private:
  std::jthread thread_;
};

}  // namespace epochcast::real
