// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace epochcast {

/// The nearest float16 (IEEE 754 binary16; ties to even): subnormals are kept, what is too large
/// becomes infinite, NaN stays NaN. As bits.
[[nodiscard]] constexpr std::uint16_t float16_bits(float value) {
  constexpr std::uint32_t kInfinite = 0x7f800000;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000);
  const std::uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > kInfinite) return sign | 0x7e00;
  // 65520 and more are nearer to 65536, which float16 does not have.
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  if (magnitude < 0x38800000) {  // below 2^-14: subnormal, in steps of 2^-24
    // Adding 0.5 leaves float32 a resolution of 2^-24, rounded to even by the addition itself.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000));
  }
  const std::uint32_t is_odd = (magnitude >> 13) & 1;
  return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000 + 0xfff + is_odd) >> 13));
}

/// The value of a float16, exactly.
[[nodiscard]] constexpr float float16_value(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  const std::uint32_t magnitude = bits & 0x7fff;
  if (magnitude >= 0x7c00) return std::bit_cast<float>(sign | 0x7f800000 | (magnitude << 13));
  if (magnitude < 0x400) {  // subnormal: a multiple of 2^-24
    const float value = static_cast<float>(magnitude) * 0x1p-24F;
    return sign == 0 ? value : -value;
  }
  return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000));
}

/// The nearest bfloat16 (the upper half of a float32; ties to even). NaN stays NaN. As bits.
[[nodiscard]] constexpr std::uint16_t bfloat16_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<std::uint16_t>((bits >> 16) | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

/// The value of a bfloat16, exactly.
[[nodiscard]] constexpr float bfloat16_value(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// A number of 16 bits that computes as float32 and rounds each result once.
template <std::uint16_t (*to_bits)(float), float (*to_value)(std::uint16_t)>
struct Half {
  std::uint16_t bits = 0;

  constexpr Half() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): it is a number
  constexpr Half(float value) : bits(to_bits(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr operator float() const { return to_value(bits); }
};
using Float16 = Half<float16_bits, float16_value>;
using BFloat16 = Half<bfloat16_bits, bfloat16_value>;
static_assert(sizeof(Float16) == 2 && sizeof(BFloat16) == 2);

}  // namespace epochcast
