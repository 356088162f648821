// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/schedule.hpp"

namespace epochcast {

/// Ring all-reduce (Patarasuk and Yuan, JPDC 2009): P-1 steps of reduce-scatter, then P-1 of
/// all-gather.
///
/// The ring follows rank order. Every block is 1/P of the payload; a rank sends 2(P-1) of them.
class Ring : public Schedule {
 public:
  /// Throws std::invalid_argument when ranks < 1.
  explicit Ring(int ranks);

  [[nodiscard]] int ranks() const override { return ranks_; }
  [[nodiscard]] std::int64_t divisions() const override { return ranks_; }
  [[nodiscard]] std::int64_t rounds(int rank) const override;
  [[nodiscard]] Round round(int rank, std::int64_t index) const override;
  /// The reduce-scatter and the all-gather, apart because only the former adds.
  [[nodiscard]] std::vector<RepeatedRounds> repeated() const override;

 private:
  int ranks_;
};

}  // namespace epochcast
