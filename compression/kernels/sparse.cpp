// SPDX-License-Identifier: Apache-2.0
#include "compression/kernels/sparse.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace epochcast {
namespace {

/// The absolute value; infinite for NaN, which has no order.
float magnitude(float value) {
  return std::isnan(value) ? std::numeric_limits<float>::infinity() : std::abs(value);
}

/// The k-th largest of these magnitudes, which it reorders.
float kth_of(std::vector<float>& magnitudes, std::int64_t k) {
  const auto kth = magnitudes.begin() + (k - 1);
  std::nth_element(magnitudes.begin(), kth, magnitudes.end(), std::greater<>());
  return *kth;
}

}  // namespace

std::int64_t kept_count(std::int64_t count, double ratio) {
  const std::int64_t kept = std::llround(ratio * static_cast<double>(count));
  return std::clamp<std::int64_t>(kept, std::min<std::int64_t>(1, count), count);
}

float kth_magnitude(std::span<const float> values, std::int64_t k) {
  std::vector<float> magnitudes(values.size());
  std::transform(values.begin(), values.end(), magnitudes.begin(), magnitude);
  return kth_of(magnitudes, k);
}

void select_largest(std::span<const float> values, std::span<SparseEntry> kept) {
  if (kept.empty()) return;
  const float threshold = kth_magnitude(values, std::ssize(kept));
  const auto above = std::count_if(
      values.begin(), values.end(), [&](float value) { return magnitude(value) > threshold; });
  auto equal_left = std::ssize(kept) - above;
  std::size_t next = 0;
  for (std::size_t i = 0; i < values.size() && next < kept.size(); ++i) {
    const float size = magnitude(values[i]);
    if (size < threshold || (size == threshold && equal_left-- <= 0)) continue;
    kept[next++] = {.value = values[i], .index = static_cast<std::int32_t>(i)};
  }
}

std::vector<SparseEntry> select_above(std::span<const float> values,
                                      float threshold,
                                      bool or_equal,
                                      std::int64_t offset) {
  std::vector<SparseEntry> selected;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float size = magnitude(values[i]);
    if (size > threshold || (or_equal && size == threshold))
      selected.push_back(
          {.value = values[i],
           .index = static_cast<std::int32_t>(offset + static_cast<std::int64_t>(i))});
  }
  return selected;
}

std::vector<SparseEntry> keep_largest(std::span<const SparseEntry> candidates,
                                      std::span<SparseEntry> kept) {
  std::vector<SparseEntry> dropped;
  if (candidates.size() <= kept.size()) {
    const auto end = std::copy(candidates.begin(), candidates.end(), kept.begin());
    std::fill(end, kept.end(), SparseEntry());
    return dropped;
  }
  std::vector<float> values(candidates.size());
  std::transform(candidates.begin(), candidates.end(), values.begin(), [](const SparseEntry& one) {
    return one.value;
  });
  select_largest(values, kept);
  dropped.reserve(candidates.size() - kept.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (next < kept.size() && kept[next].index == static_cast<std::int32_t>(i)) {
      kept[next++] = candidates[i];
    } else {
      dropped.push_back(candidates[i]);
    }
  }
  return dropped;
}

std::vector<SparseEntry> sum_of(std::span<const std::span<const SparseEntry>> parts) {
  std::vector<SparseEntry> all;
  for (const auto& part : parts) {
    for (const SparseEntry& entry : part) {
      if (entry.index != SparseEntry::kNone) all.push_back(entry);
    }
  }
  // Stable: equal indices are added in the order of the parts.
  std::stable_sort(all.begin(), all.end(), [](const SparseEntry& a, const SparseEntry& b) {
    return a.index < b.index;
  });
  std::vector<SparseEntry> sum;
  for (const SparseEntry& entry : all) {
    if (!sum.empty() && sum.back().index == entry.index) {
      sum.back().value += entry.value;
    } else {
      sum.push_back(entry);
    }
  }
  return sum;
}

void add_entries(std::span<const SparseEntry> entries, std::span<float> values) {
  for (const SparseEntry& entry : entries) {
    if (entry.index != SparseEntry::kNone)
      values[static_cast<std::size_t>(entry.index)] += entry.value;
  }
}

void clear_entries(std::span<const SparseEntry> entries, std::span<float> values) {
  for (const SparseEntry& entry : entries) {
    if (entry.index != SparseEntry::kNone) values[static_cast<std::size_t>(entry.index)] = 0;
  }
}

}  // namespace epochcast
