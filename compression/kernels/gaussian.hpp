// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compression/kernels/sparse.hpp"

namespace epochcast {

/// z such that a standard normal number is further than z from zero with probability `share`, which
/// is in (0, 1].
[[nodiscard]] double two_sided_quantile(double share);

/// About k values of large size by a threshold from a Gaussian fit: mean + z · deviation, corrected
/// up to three times by 0.5 or 1.5 while it selects fewer than 2k/3 or more than 4k/3 values (Shi
/// et al., arXiv 1911.08772, algorithm 1). By ascending index.
[[nodiscard]] std::vector<SparseEntry> select_by_gaussian(std::span<const float> values,
                                                          std::int64_t k);

}  // namespace epochcast
