// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/all_gather.hpp"
#include "collectives/reduce_scatter.hpp"

namespace epochcast {

/// Ring all-reduce (Patarasuk and Yuan, JPDC 2009): ring reduce-scatter, then ring all-gather.
///
/// A reduce-scatter and an all-gather of equal parts give the same sums, bit by bit. The ring
/// follows rank order. Every block is 1/P of the payload; a rank sends 2(P-1) of them.
class Ring : public Schedule {
 public:
  /// Throws std::invalid_argument when ranks < 1.
  explicit Ring(int ranks);

  [[nodiscard]] int ranks() const override { return scatter_.ranks(); }
  [[nodiscard]] std::int64_t divisions() const override { return scatter_.divisions(); }
  [[nodiscard]] std::int64_t rounds(int rank) const override;
  [[nodiscard]] Round round(int rank, std::int64_t index) const override;
  /// The reduce-scatter and the all-gather, apart because only the former adds.
  [[nodiscard]] std::vector<RepeatedRounds> repeated() const override;

 private:
  RingReduceScatter scatter_;
  RingAllGather gather_;
};

}  // namespace epochcast
