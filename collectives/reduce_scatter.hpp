// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "collectives/parts.hpp"

// Reduce-scatters: rank r ends with the sum of its part. The rest of its payload is undefined then.
namespace epochcast {

/// Reduce-scatter round a ring in rank order: P-1 steps in which a rank adds its own part to the
/// one that arrives, and sends the sum on. Rank r sends all parts but its own.
class RingReduceScatter : public PartsSchedule {
 public:
  explicit RingReduceScatter(Parts parts) : PartsSchedule(std::move(parts)) {}

  [[nodiscard]] std::int64_t rounds(int /*rank*/) const override { return ranks() - 1; }
  [[nodiscard]] Round round(int rank, std::int64_t index) const override;
  /// All rounds, if parts are equal.
  [[nodiscard]] std::vector<RepeatedRounds> repeated() const override;
};

/// The round of an all-gather backwards: what was sent is received and added, what was received is
/// sent. Sends are listed first.
[[nodiscard]] Round reversed(const Round& round);

/// Reduce-scatter that runs an all-gather backwards, from its last round to its first.
///
/// The way of a part from its rank to all others becomes the tree along which it is summed (Chan et
/// al., Concurrency and Computation 19, 2007). Of recursive doubling this makes recursive halving;
/// of Bruck's all-gather the reduce-scatter of Träff (arXiv 2410.14234) in ceil(log2 P) rounds for
/// any P. Rank r sends all parts but its own.
class ReversedAllGather : public Schedule {
 public:
  /// An all-gather in which every part arrives once at every rank.
  explicit ReversedAllGather(std::unique_ptr<Schedule> all_gather)
      : all_gather_(std::move(all_gather)) {}

  [[nodiscard]] int ranks() const override { return all_gather_->ranks(); }
  [[nodiscard]] std::int64_t divisions() const override { return all_gather_->divisions(); }
  [[nodiscard]] std::int64_t rounds(int rank) const override { return all_gather_->rounds(rank); }
  [[nodiscard]] Round round(int rank, std::int64_t index) const override {
    return reversed(all_gather_->round(rank, rounds(rank) - 1 - index));
  }

 private:
  std::unique_ptr<Schedule> all_gather_;
};

}  // namespace epochcast
