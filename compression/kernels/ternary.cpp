// SPDX-License-Identifier: Apache-2.0
#include "compression/kernels/ternary.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace epochcast {
namespace {

constexpr std::size_t kDigits = 5;  // of a byte

/// 0, 1 or 2 for -1, 0 or 1.
unsigned digit_of(float value, float scale, Random& random) {
  const bool is_kept = random.uniform() * static_cast<double>(scale) < std::abs(value);
  if (!is_kept) return 1;
  return value < 0 ? 0 : 2;
}

}  // namespace

std::int64_t ternary_bytes(std::int64_t count) {
  constexpr auto kPerByte = static_cast<std::int64_t>(kDigits);
  return static_cast<std::int64_t>(sizeof(float)) + (count + kPerByte - 1) / kPerByte;
}

void encode_ternary(std::span<const float> values, Random& random, std::span<std::byte> code) {
  float scale = 0;
  for (const float value : values) {
    scale = std::isfinite(value) ? std::max(scale, std::abs(value))
                                 : std::numeric_limits<float>::quiet_NaN();
    if (std::isnan(scale)) break;
  }
  std::memcpy(code.data(), &scale, sizeof scale);
  std::byte* to = code.data() + sizeof scale;
  for (std::size_t begin = 0; begin < values.size(); begin += kDigits) {
    unsigned number = 0;
    unsigned place = 1;
    for (const float value : values.subspan(begin, std::min(kDigits, values.size() - begin))) {
      number += place * digit_of(value, scale, random);
      place *= 3;
    }
    *to++ = static_cast<std::byte>(number);
  }
}

void add_ternary(std::span<const std::byte> code, std::span<float> values) {
  float scale = 0;
  std::memcpy(&scale, code.data(), sizeof scale);
  const std::byte* from = code.data() + sizeof scale;
  for (std::size_t begin = 0; begin < values.size(); begin += kDigits) {
    auto number = static_cast<unsigned>(*from++);
    for (float& value : values.subspan(begin, std::min(kDigits, values.size() - begin))) {
      value += scale * (static_cast<float>(number % 3) - 1);
      number /= 3;
    }
  }
}

}  // namespace epochcast
