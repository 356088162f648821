// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "collectives/schedule.hpp"

namespace epochcast {

/// All-gather of one unit from each rank, in ceil(log2(ranks)) rounds in which ranks send all units
/// that they have (Bruck et al., IEEE TPDS 1997, section 5); with 2^k ranks as many bytes and
/// rounds as recursive doubling. Open MPI's choice for small payloads.
///
/// Rank r begins with unit r alone; the rest of its payload is ignored.
class BruckAllGather : public Schedule {
 public:
  /// Throws std::invalid_argument when ranks < 1.
  explicit BruckAllGather(int ranks);

  [[nodiscard]] int ranks() const override { return ranks_; }
  [[nodiscard]] std::int64_t divisions() const override { return ranks_; }
  [[nodiscard]] std::int64_t rounds(int rank) const override;
  /// A range of units that wraps around is two transfers.
  [[nodiscard]] Round round(int rank, std::int64_t index) const override;

 private:
  int ranks_;
};

}  // namespace epochcast
