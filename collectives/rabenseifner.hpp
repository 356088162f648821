// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "collectives/all_gather.hpp"

namespace epochcast {

/// Rabenseifner's all-reduce: reduce-scatter by recursive halving, all-gather by recursive
/// doubling.
///
/// Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005. Neighbours exchange the largest blocks: step
/// k of the reduce-scatter has distance 2^k and 1/2^(k+1) of the payload. So the position in
/// recursive doubling, whose neighbours exchange the smallest ones, is a rank's number with its
/// bits in reverse. With P = Q + E ranks, Q a
/// power of two, the first 2E ranks fold in two rounds (exchange and add halves; the odd rank hands
/// its half to the even one) and unfold in one, as in Open MPI's redscat_allgather. Idle ranks have
/// empty rounds.
class Rabenseifner : public Schedule {
 public:
  /// Throws std::invalid_argument when ranks < 1.
  explicit Rabenseifner(int ranks);

  [[nodiscard]] int ranks() const override { return ranks_; }
  [[nodiscard]] std::int64_t divisions() const override { return gather_.divisions(); }
  /// 2·log2(Q), and 3 more when ranks fold.
  [[nodiscard]] std::int64_t rounds(int rank) const override;
  [[nodiscard]] Round round(int rank, std::int64_t index) const override;

 private:
  [[nodiscard]] Round fold(int rank, std::int64_t index) const;
  [[nodiscard]] Round unfold(int rank) const;
  /// Step of the halving, then of the doubling.
  [[nodiscard]] Round exchange(int rank, int step) const;

  int ranks_;
  int power_;  ///< Q, the largest power of two that is at most P
  int steps_;  ///< log2(Q)
  DoublingAllGather gather_;
};

}  // namespace epochcast
