// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "real/mpi/parent_watch.hpp"

namespace epochcast::real {

/// Throws a RunError such as "rank 1: MPI_Allreduce: MPI_ERR_TRUNCATE: message truncated" unless
/// `code` is MPI_SUCCESS. Works only for communicators whose handler is MPI_ERRORS_RETURN.
void check_mpi(int code, const char* call);

/// MPI, from here to the end of the scope: initialised for calls from several threads, errors
/// returned instead of fatal. One per process, which from then on ends when mpirun does, and whose
/// sleeps end without the kernel's slack.
class MpiSession {
 public:
  /// Throws a RunError when MPI cannot be started or lacks MPI_THREAD_MULTIPLE.
  MpiSession(int* argc, char*** argv);
  /// Finalises MPI; not while an exception is on its way: the other ranks would wait for us.
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }

 private:
  int rank_ = 0;
  int size_ = 1;
  int exceptions_ = 0;
  SharedMemory memory_;
};

/// Every rank's text, in the order of ranks, on rank `root` (empty elsewhere). Collective.
[[nodiscard]] std::vector<std::string> gather_texts(const std::string& mine,
                                                    int root,
                                                    MPI_Comm comm);
/// Every rank's text, in the order of ranks, on every rank. Collective.
[[nodiscard]] std::vector<std::string> all_gather_texts(const std::string& mine, MPI_Comm comm);
/// What the ranks' texts are, each once, sorted and joined by "; ", on rank 0. Collective.
[[nodiscard]] std::string gather_different(const std::string& mine, MPI_Comm comm);
/// The root's text on every rank. Collective.
[[nodiscard]] std::string broadcast_text(const std::string& text, int root, MPI_Comm comm);

/// What the MPI library says about itself: "Open MPI v4.1.4, package: ...".
[[nodiscard]] std::string mpi_library_text();

}  // namespace epochcast::real
