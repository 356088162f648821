// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "collectives/schedule.hpp"

namespace epochcast {

/// A payload cut into one contiguous part for each rank, in the order of ranks.
///
/// Part r is a block of units; all parts together are the payload. A part may be empty.
class Parts {
 public:
  /// Parts of `units_each` units. With n elements, part r begins at floor(r·n/ranks). Throws
  /// std::invalid_argument when ranks or units_each are below 1.
  [[nodiscard]] static Parts equal(int ranks, std::int64_t units_each = 1);

  /// Parts of these sizes, in elements or bytes, with their greatest common divisor as the unit.
  /// Sizes as equal as those of equal(ranks) are parts of one unit. Throws std::invalid_argument
  /// without sizes, and when one is negative.
  explicit Parts(std::span<const std::int64_t> sizes);

  [[nodiscard]] int ranks() const { return ranks_; }
  /// Units of the payload; 1 if all parts are empty.
  [[nodiscard]] std::int64_t divisions() const;
  /// Whether all parts have the same number of units, and none is empty.
  [[nodiscard]] bool are_equal() const { return begin_.empty(); }
  /// The part of a rank.
  [[nodiscard]] Block of(int rank) const { return range(rank, rank + 1); }
  /// The parts of ranks [first, end) as one block.
  [[nodiscard]] Block range(int first, int end) const { return {begin_of(first), begin_of(end)}; }

 private:
  Parts(int ranks, std::int64_t units_each) : ranks_(ranks), units_each_(units_each) {}
  [[nodiscard]] std::int64_t begin_of(int rank) const {
    return are_equal() ? rank * units_each_ : begin_[static_cast<std::size_t>(rank)];
  }

  int ranks_;
  std::int64_t units_each_ = 0;      ///< if they are equal
  std::vector<std::int64_t> begin_;  ///< of each part, and the end; empty if they are equal
};

/// A schedule over parts.
class PartsSchedule : public Schedule {
 public:
  explicit PartsSchedule(Parts parts) : parts_(std::move(parts)) {}

  [[nodiscard]] int ranks() const override { return parts_.ranks(); }
  [[nodiscard]] std::int64_t divisions() const override { return parts_.divisions(); }

 protected:
  [[nodiscard]] const Parts& parts() const { return parts_; }
  /// The rank at `distance` from this one, modulo the ranks.
  [[nodiscard]] int at_distance(int rank, std::int64_t distance) const;
  /// Adds the transfer of `count` parts from `first` on, modulo the ranks: two transfers if they
  /// wrap around, none if they are empty.
  void add(Round& round, ActionKind kind, int peer, int first, int count = 1) const;

 private:
  Parts parts_;
};

}  // namespace epochcast
