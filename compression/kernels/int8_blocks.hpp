// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace epochcast {

/// Values that share a scale.
inline constexpr std::int64_t kInt8Block = 256;

/// Bytes of the code of `count` values: a float32 scale for each block, then a byte for each value.
[[nodiscard]] std::int64_t int8_bytes(std::int64_t count);

/// Codes values as multiples in [-127, 127] of their block's scale, which is the block's absolute
/// maximum / 127; rounds to the nearest, ties to even. Values that are such multiples come back
/// exactly. A block with a value that is not finite comes back as NaN. `code` has
/// int8_bytes(values.size()).
void encode_int8(std::span<const float> values, std::span<std::byte> code);

/// Adds the coded values to `values`.
void add_int8(std::span<const std::byte> code, std::span<float> values);

}  // namespace epochcast
