// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "collectives/schedule.hpp"

namespace epochcast {

/// Rank 0 receives from one rank after the other, last rank first, then sends the sum to all at
/// once.
///
/// Open MPI's basic linear all-reduce (coll_base_reduce.c and coll_base_bcast.c, v4.1.x).
class Linear : public Schedule {
 public:
  /// Throws std::invalid_argument when ranks < 1.
  explicit Linear(int ranks);

  [[nodiscard]] int ranks() const override { return ranks_; }
  [[nodiscard]] std::int64_t divisions() const override { return 1; }
  [[nodiscard]] std::int64_t rounds(int rank) const override;
  [[nodiscard]] Round round(int rank, std::int64_t index) const override;

 private:
  int ranks_;
};

}  // namespace epochcast
