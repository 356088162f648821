// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/parts.hpp"

// All-gathers: rank r begins with its part alone, and ends with all. The rest of its payload is
// ignored.
namespace epochcast {

/// All-gather round a ring in rank order: P-1 steps in which a rank sends the part that it got in
/// the step before. Rank r sends all parts but that of rank r+1.
class RingAllGather : public PartsSchedule {
 public:
  explicit RingAllGather(Parts parts) : PartsSchedule(std::move(parts)) {}

  [[nodiscard]] std::int64_t rounds(int /*rank*/) const override { return ranks() - 1; }
  [[nodiscard]] Round round(int rank, std::int64_t index) const override;
  /// All rounds, if parts are equal.
  [[nodiscard]] std::vector<RepeatedRounds> repeated() const override;
};

/// All-gather by recursive doubling among 2^k ranks: in step i, partners at distance 2^i exchange
/// all parts that they have (Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005).
class DoublingAllGather : public PartsSchedule {
 public:
  /// Throws std::invalid_argument when the number of ranks is no power of two.
  explicit DoublingAllGather(Parts parts);

  [[nodiscard]] std::int64_t rounds(int rank) const override;
  [[nodiscard]] Round round(int rank, std::int64_t index) const override;
};

/// All-gather in ceil(log2(ranks)) rounds in which ranks send all parts that they have, for any
/// number of ranks (Bruck et al., IEEE TPDS 1997, section 5); with 2^k ranks and equal parts as
/// many bytes and rounds as recursive doubling.
class BruckAllGather : public PartsSchedule {
 public:
  explicit BruckAllGather(Parts parts) : PartsSchedule(std::move(parts)) {}
  /// Equal parts. Throws std::invalid_argument when ranks < 1.
  explicit BruckAllGather(int ranks) : BruckAllGather(Parts::equal(ranks)) {}

  [[nodiscard]] std::int64_t rounds(int rank) const override;
  /// A range of parts that wraps around is two transfers.
  [[nodiscard]] Round round(int rank, std::int64_t index) const override;
};

/// All-gather by neighbour exchange among an even number of ranks: P/2 rounds in which a rank
/// exchanges with its two neighbours in turn, first its own part, then two parts at a time (Chen et
/// al., HPC Asia 2005; coll_base_allgatherv.c of Open MPI).
class NeighborAllGather : public PartsSchedule {
 public:
  /// Throws std::invalid_argument when the number of ranks is odd.
  explicit NeighborAllGather(Parts parts);

  [[nodiscard]] std::int64_t rounds(int /*rank*/) const override { return ranks() / 2; }
  [[nodiscard]] Round round(int rank, std::int64_t index) const override;

 private:
  /// The pair of ranks, 2i and 2i+1, whose parts a rank has after round `index` >= 0 as the newest.
  [[nodiscard]] int newest_pair(int rank, std::int64_t index) const;
};

/// All-gather in one round: every rank sends its part to each other rank.
class DirectAllGather : public PartsSchedule {
 public:
  /// All of the P·(P-1) messages are under way at once.
  static constexpr int kMostRanks = 512;

  /// Throws a UserError for more than kMostRanks ranks.
  explicit DirectAllGather(Parts parts);

  [[nodiscard]] std::int64_t rounds(int /*rank*/) const override { return ranks() > 1 ? 1 : 0; }
  /// The next rank first, as each rank then sends to another one first.
  [[nodiscard]] Round round(int rank, std::int64_t index) const override;
};

}  // namespace epochcast
