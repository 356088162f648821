// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/parts.hpp"

namespace epochcast::tests {

/// Parts on which reduce-scatters and all-gathers are tested: equal ones of one unit and of three,
/// different ones with and without empty ones, all of it on the first or the last rank, and
/// nothing.
inline std::vector<Parts> tested_parts(int ranks) {
  std::vector<Parts> parts{Parts::equal(ranks), Parts::equal(ranks, 3)};
  const auto count = static_cast<std::size_t>(ranks);
  std::vector<std::int64_t> sizes(count, 0);
  parts.emplace_back(sizes);
  sizes.front() = 5;
  parts.emplace_back(sizes);
  sizes.front() = 0;
  sizes.back() = 5;
  parts.emplace_back(sizes);
  for (std::size_t i = 0; i < count; ++i) sizes[i] = static_cast<std::int64_t>((7 * i + 3) % 5);
  parts.emplace_back(sizes);
  for (std::size_t i = 0; i < count; ++i) sizes[i] = static_cast<std::int64_t>((5 * i) % 11 + 1);
  parts.emplace_back(sizes);
  return parts;
}

}  // namespace epochcast::tests
