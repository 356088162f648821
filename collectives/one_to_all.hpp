// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/schedule.hpp"

namespace epochcast {

/// Broadcast of the whole payload from `root` along a binomial tree.
class BinomialBroadcast : public Schedule {
 public:
  /// Throws std::invalid_argument when root is not a rank.
  BinomialBroadcast(int ranks, int root);

  [[nodiscard]] int ranks() const override { return ranks_; }
  [[nodiscard]] std::int64_t divisions() const override { return 1; }
  /// One to receive (not at the root), then one for each child.
  [[nodiscard]] std::int64_t rounds(int rank) const override;
  [[nodiscard]] Round round(int rank, std::int64_t index) const override;

 private:
  [[nodiscard]] int actual(int relative) const { return (relative + root_) % ranks_; }

  int ranks_;
  int root_;
};

/// Every rank sends its own part of the payload straight to `root`, which receives them all at
/// once.
class LinearGather : public Schedule {
 public:
  /// `sizes`: units of each rank's part, in the order of ranks; they make up the payload.
  LinearGather(const std::vector<std::int64_t>& sizes, int root);

  [[nodiscard]] int ranks() const override { return static_cast<int>(begin_.size()) - 1; }
  [[nodiscard]] std::int64_t divisions() const override { return begin_.back(); }
  [[nodiscard]] std::int64_t rounds(int) const override { return 1; }
  [[nodiscard]] Round round(int rank, std::int64_t index) const override;

 private:
  std::vector<std::int64_t> begin_;
  int root_;
};

}  // namespace epochcast
