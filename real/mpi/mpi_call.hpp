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

/// MPI in a scope: initialised for calls from several threads, with errors returned. One per
/// process. The process then ends with mpirun, and its sleeps have no timer slack.
class MpiSession {
 public:
  /// Throws a RunError when MPI cannot be started or lacks MPI_THREAD_MULTIPLE.
  MpiSession(int* argc, char*** argv);
  /// Finalises MPI; not during an exception: other ranks would be waited for.
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
/// The distinct texts of all ranks, sorted and joined by "; ", on rank 0. Collective.
[[nodiscard]] std::string gather_different(const std::string& mine, MPI_Comm comm);
/// The root's text on every rank. Collective.
[[nodiscard]] std::string broadcast_text(const std::string& text, int root, MPI_Comm comm);

/// Name and version of the MPI library: "Open MPI v4.1.4, package: ...".
[[nodiscard]] std::string mpi_library_text();

}  // namespace epochcast::real
