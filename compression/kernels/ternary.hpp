// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/statistics/random.hpp"

namespace epochcast {

/// Bytes of the code of `count` values: a float32 scale, then five ternary digits to a byte
/// (3^5 = 243), which is 1.6 bits for a value; log2(3) = 1.585.
[[nodiscard]] std::int64_t ternary_bytes(std::int64_t count);

/// Codes values as -1, 0 or 1 times their absolute maximum s: a value v is not 0 with probability
/// |v|/s, so that its mean is v (TernGrad, Wen et al., NeurIPS 2017, equation 2). If one is not
/// finite, all come back as NaN.
void encode_ternary(std::span<const float> values, Random& random, std::span<std::byte> code);

/// Adds the coded values to `values`.
void add_ternary(std::span<const std::byte> code, std::span<float> values);

}  // namespace epochcast
