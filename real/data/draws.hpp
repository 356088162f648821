// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "base/statistics/random.hpp"

namespace epochcast::real {

/// Uniform in [from, to).
[[nodiscard]] inline float draw_between(float from, float to, Random& random) {
  return from + (to - from) * static_cast<float>(random.uniform());
}

/// Uniform in [0, end), end up to 2^32.
[[nodiscard]] inline std::uint64_t draw_below(std::uint64_t end, Random& random) {
  return static_cast<std::uint64_t>(random.uniform() * static_cast<double>(end));
}

/// Adds noise of mean 0 and the given deviation, nearly normal: the sum of four uniform numbers,
/// all from one draw, which is 20 times as fast as Box-Muller.
inline void add_noise(float deviation, Random& random, std::span<float> values) {
  constexpr float kSteps = 65536;
  // Four uniform integers below n: mean 2 (n - 1), variance 4 (n^2 - 1) / 12.
  constexpr float kDeviation = kSteps * 0.57735027F;
  const float factor = deviation / kDeviation;
  for (float& value : values) {
    const std::uint64_t bits = random.next();
    const std::uint64_t sum =
        (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
    value += (static_cast<float>(static_cast<std::int32_t>(sum)) - 2 * (kSteps - 1)) * factor;
  }
}

}  // namespace epochcast::real
