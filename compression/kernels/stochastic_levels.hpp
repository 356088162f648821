// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/statistics/random.hpp"

namespace epochcast {

/// Values that share a norm: the bucket size of QSGD's 4-bit experiments.
inline constexpr std::int64_t kLevelBlock = 512;

/// Bytes of the code of `count` values: a float32 norm for each block, then a level in [-s, s] for
/// each value, of as many bits as 2s + 1 levels need, packed.
[[nodiscard]] std::int64_t level_bytes(std::int64_t count, int levels);

/// Codes values as multiples of their block's norm / s, rounded up or down at random so that the
/// mean of a value is the value (QSGD, Alistarh et al., NeurIPS 2017, section 3.1; s = `levels`).
/// A block with a value that is not finite comes back as NaN.
void encode_levels(std::span<const float> values,
                   int levels,
                   Random& random,
                   std::span<std::byte> code);

/// Adds the coded values to `values`.
void add_levels(std::span<const std::byte> code, int levels, std::span<float> values);

}  // namespace epochcast
