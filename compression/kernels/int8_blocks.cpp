// SPDX-License-Identifier: Apache-2.0
#include "compression/kernels/int8_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace epochcast {
namespace {

constexpr float kLargestCode = 127;

std::int64_t blocks_of(std::int64_t count) { return (count + kInt8Block - 1) / kInt8Block; }

/// The scale of a block; NaN if one of its values is not finite, 0 if all are 0.
float scale_of(std::span<const float> block) {
  float largest = 0;
  bool is_finite = true;
  for (const float value : block) {
    is_finite = is_finite && std::isfinite(value);
    largest = std::max(largest, std::abs(value));
  }
  return is_finite ? largest / kLargestCode : std::numeric_limits<float>::quiet_NaN();
}

/// The multiple of `scale` that is nearest to the value.
std::int8_t code_of(float value, float scale) {
  if (!(scale > 0)) return 0;
  // A scale that is subnormal is rounded itself: the quotient may then exceed 127.
  const float code = std::nearbyint(value / scale);
  return static_cast<std::int8_t>(std::clamp(code, -kLargestCode, kLargestCode));
}

}  // namespace

std::int64_t int8_bytes(std::int64_t count) {
  return count + static_cast<std::int64_t>(sizeof(float)) * blocks_of(count);
}

void encode_int8(std::span<const float> values, std::span<std::byte> code) {
  const auto blocks = static_cast<std::size_t>(blocks_of(std::ssize(values)));
  std::byte* to = code.data() + sizeof(float) * blocks;
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::size_t begin = i * kInt8Block;
    const auto block =
        values.subspan(begin, std::min<std::size_t>(kInt8Block, values.size() - begin));
    const float scale = scale_of(block);
    std::memcpy(code.data() + i * sizeof scale, &scale, sizeof scale);
    for (const float value : block) *to++ = static_cast<std::byte>(code_of(value, scale));
  }
}

void add_int8(std::span<const std::byte> code, std::span<float> values) {
  const auto blocks = static_cast<std::size_t>(blocks_of(std::ssize(values)));
  const std::byte* from = code.data() + sizeof(float) * blocks;
  for (std::size_t i = 0; i < blocks; ++i) {
    float scale = 0;
    std::memcpy(&scale, code.data() + i * sizeof scale, sizeof scale);
    const std::size_t begin = i * kInt8Block;
    for (float& value :
         values.subspan(begin, std::min<std::size_t>(kInt8Block, values.size() - begin)))
      value += scale * static_cast<float>(static_cast<std::int8_t>(*from++));
  }
}

}  // namespace epochcast
