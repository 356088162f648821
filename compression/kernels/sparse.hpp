// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace epochcast {

/// A value of a sparse vector and its place, as they travel.
struct SparseEntry {
  float value = 0;
  std::int32_t index = kNone;

  /// The index of an entry that holds no value: messages have a fixed number of entries.
  static constexpr std::int32_t kNone = -1;

  bool operator==(const SparseEntry&) const = default;
};
static_assert(sizeof(SparseEntry) == 8);

/// k: the nearest count to `ratio` of `count` values, at least one of them.
[[nodiscard]] std::int64_t kept_count(std::int64_t count, double ratio);

/// The k-th largest absolute value, 1 <= k <= values.size(); NaN counts as infinite.
[[nodiscard]] float kth_magnitude(std::span<const float> values, std::int64_t k);

/// Fills `kept` with the largest absolute values, by ascending index; of equal ones those of lower
/// index. Needs kept.size() <= values.size().
void select_largest(std::span<const float> values, std::span<SparseEntry> kept);

/// The values whose absolute value is above the threshold, or equal to it if `or_equal`, by
/// ascending index; NaN is above every threshold. `offset` is added to indices.
[[nodiscard]] std::vector<SparseEntry> select_above(std::span<const float> values,
                                                    float threshold,
                                                    bool or_equal = false,
                                                    std::int64_t offset = 0);

/// Fills `kept` with the largest of the candidates, which are by ascending index; if there are
/// fewer, entries without value follow. Returns the others.
std::vector<SparseEntry> keep_largest(std::span<const SparseEntry> candidates,
                                      std::span<SparseEntry> kept);

/// The sum of sparse vectors, each by ascending index, as one by ascending index.
[[nodiscard]] std::vector<SparseEntry> sum_of(std::span<const std::span<const SparseEntry>> parts);

/// Adds the entries to `values`.
void add_entries(std::span<const SparseEntry> entries, std::span<float> values);
/// Sets the entries' values to zero.
void clear_entries(std::span<const SparseEntry> entries, std::span<float> values);

}  // namespace epochcast
