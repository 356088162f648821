// SPDX-License-Identifier: Apache-2.0
#include "compression/kernels/regions.hpp"

namespace epochcast {

std::vector<std::int64_t> balanced_regions(std::span<const std::int32_t> indices,
                                           std::int64_t count,
                                           std::int64_t parts) {
  const std::int64_t balanced = indices.empty() ? count : std::ssize(indices);
  std::vector<std::int64_t> bounds = {0};
  for (std::int64_t i = 1; i < parts; ++i) {
    const std::int64_t place = i * balanced / parts;
    bounds.push_back(indices.empty() ? place : indices[static_cast<std::size_t>(place)]);
  }
  bounds.push_back(count);
  return bounds;
}

}  // namespace epochcast
