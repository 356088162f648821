// SPDX-License-Identifier: Apache-2.0
#include "compression/kernels/signs.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace epochcast {
namespace {

constexpr std::size_t kBits = 8;

}  // namespace

std::int64_t sign_bytes(std::int64_t count) {
  constexpr auto kPerByte = static_cast<std::int64_t>(kBits);
  return static_cast<std::int64_t>(sizeof(float)) + (count + kPerByte - 1) / kPerByte;
}

float sign_scale(std::span<const float> values) {
  if (values.empty()) return 0;
  double squares = 0;
  for (const float value : values)
    squares += static_cast<double>(value) * static_cast<double>(value);
  return static_cast<float>(std::sqrt(squares / static_cast<double>(values.size())));
}

void encode_signs(std::span<float> values, float scale, std::span<std::byte> code) {
  std::memcpy(code.data(), &scale, sizeof scale);
  std::byte* to = code.data() + sizeof scale;
  for (std::size_t begin = 0; begin < values.size(); begin += kBits) {
    unsigned bits = 0;
    unsigned bit = 1;
    for (float& value : values.subspan(begin, std::min(kBits, values.size() - begin))) {
      const bool is_negative = value < 0;
      if (is_negative) bits |= bit;
      value -= is_negative ? -scale : scale;
      bit <<= 1U;
    }
    *to++ = static_cast<std::byte>(bits);
  }
}

void add_signs(std::span<const std::byte> code, std::span<float> values) {
  float scale = 0;
  std::memcpy(&scale, code.data(), sizeof scale);
  const std::byte* from = code.data() + sizeof scale;
  for (std::size_t begin = 0; begin < values.size(); begin += kBits) {
    auto bits = static_cast<unsigned>(*from++);
    for (float& value : values.subspan(begin, std::min(kBits, values.size() - begin))) {
      value += (bits & 1U) != 0 ? -scale : scale;
      bits >>= 1U;
    }
  }
}

}  // namespace epochcast
