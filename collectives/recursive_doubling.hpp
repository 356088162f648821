// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "collectives/schedule.hpp"

namespace epochcast {

/// Recursive doubling: in step k, partners at distance 2^k exchange and add the whole payload.
///
/// With P = Q + E ranks, Q a power of two, the first 2E ranks fold first: each even one gives its
/// payload to its odd neighbour, is idle, and gets the sum at the end (unfold), as in Open MPI and
/// MPICH. Idle ranks have empty rounds.
class RecursiveDoubling : public Schedule {
 public:
  /// Throws std::invalid_argument when ranks < 1.
  explicit RecursiveDoubling(int ranks);

  [[nodiscard]] int ranks() const override { return ranks_; }
  [[nodiscard]] std::int64_t divisions() const override { return 1; }
  /// log2(Q), and 2 more when ranks fold.
  [[nodiscard]] std::int64_t rounds(int rank) const override;
  [[nodiscard]] Round round(int rank, std::int64_t index) const override;

 private:
  int ranks_;
  int power_;  ///< Q, the largest power of two that is at most P
  int steps_;  ///< log2(Q)
};

}  // namespace epochcast
