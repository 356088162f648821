// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

namespace epochcast::real {

/// The numbers of Fabric::deal() that this rank owns, and questions to other owners.
///
/// Questions of other ranks are answered by a thread, from the owner's first own call on: a worker
/// that computes answers too. It looks for questions in short pauses, as a blocking receive would
/// keep a core busy.
class DealService {
 public:
  explicit DealService(MPI_Comm comm) : comm_(comm) {}

  /// The next number of a sequence of `count`; absent after the last one. Throws when MPI fails.
  [[nodiscard]] std::optional<std::int64_t> deal(std::int64_t sequence,
                                                 std::int64_t count,
                                                 int owner);

 private:
  [[nodiscard]] std::int64_t next_of(std::int64_t sequence);
  void serve(const std::stop_token& stop);

  MPI_Comm comm_;
  std::mutex mutex_;
  std::map<std::int64_t, std::int64_t> next_;  ///< by sequence
  std::jthread thread_;                        ///< last: uses the other members
};

}  // namespace epochcast::real
