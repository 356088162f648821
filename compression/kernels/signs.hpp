// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace epochcast {

/// Bytes of the code of `count` values: a float32 scale, then a bit for each.
[[nodiscard]] std::int64_t sign_bytes(std::int64_t count);

/// The scale that keeps the Euclidean norm of values: norm/sqrt(count), as DeepSpeed has it.
[[nodiscard]] float sign_scale(std::span<const float> values);

/// Codes values as their signs (that of 0 is +) times the scale, and leaves in `values` the error:
/// what the code lacks (1-bit Adam, arXiv 2102.02888). A scale that is not finite stays so.
void encode_signs(std::span<float> values, float scale, std::span<std::byte> code);

/// Adds the coded values to `values`.
void add_signs(std::span<const std::byte> code, std::span<float> values);

}  // namespace epochcast
