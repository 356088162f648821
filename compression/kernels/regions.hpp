// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace epochcast {

/// The bounds of `parts` regions of [0, count), parts + 1 numbers: each region has as many of the
/// given indices, which ascend; without indices, as many numbers (Ok-Topk, Li and Hoefler,
/// PPoPP'22, section 3.1.1).
[[nodiscard]] std::vector<std::int64_t> balanced_regions(std::span<const std::int32_t> indices,
                                                         std::int64_t count,
                                                         std::int64_t parts);

}  // namespace epochcast
