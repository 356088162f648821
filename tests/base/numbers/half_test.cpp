// SPDX-License-Identifier: Apache-2.0
#include "base/numbers/half.hpp"

#include <cmath>
#include <limits>

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

constexpr int kCodes = 1 << 16;

template <typename T>
bool is_nan(std::uint16_t bits) {
  T half;
  half.bits = bits;
  return std::isnan(static_cast<float>(half));
}

/// Every number is its own rounding, and a float between two neighbours goes to the nearer one, or
/// to the even one in the middle.
template <typename T>
void check_rounding() {
  int wrong = 0;
  for (int code = 0; code < kCodes; ++code) {
    const auto bits = static_cast<std::uint16_t>(code);
    T half;
    half.bits = bits;
    const float value = half;
    if (is_nan<T>(bits)) {
      wrong += std::isnan(static_cast<float>(T(value))) ? 0 : 1;
      continue;
    }
    wrong += T(value).bits == bits ? 0 : 1;
    T above;
    above.bits = static_cast<std::uint16_t>(bits + 1);
    const float next = above;
    if (std::isinf(value) || !std::isfinite(next) || std::signbit(next) != std::signbit(value))
      continue;
    const float middle = value + (next - value) / 2;
    const std::uint16_t even = bits % 2 == 0 ? bits : above.bits;
    wrong += T(middle).bits == even ? 0 : 1;
    wrong += T(std::nextafter(middle, value)).bits == bits ? 0 : 1;
    wrong += T(std::nextafter(middle, next)).bits == above.bits ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("float16 rounds as IEEE 754 says: to the nearest, ties to even") {
  check_rounding<Float16>();
}

TEST_CASE("bfloat16 rounds to the nearest, ties to even") { check_rounding<BFloat16>(); }

TEST_CASE("float16 has 10 bits of fraction, subnormals down to 2^-24, and infinities") {
  CHECK(Float16(1).bits == 0x3c00);
  CHECK(Float16(-2).bits == 0xc000);
  CHECK(Float16(65504).bits == 0x7bff);
  CHECK(Float16(65519.996F).bits == 0x7bff);
  CHECK(Float16(65520).bits == 0x7c00);
  CHECK(Float16(std::ldexp(1.0F, -24)).bits == 1);
  CHECK(Float16(std::ldexp(1.0F, -25)).bits == 0);  // a tie, to even
  CHECK(Float16(-std::numeric_limits<float>::infinity()).bits == 0xfc00);
}

TEST_CASE("a sum of halves is computed in float32 and rounded once") {
  CHECK(static_cast<float>(Float16(Float16(2048) + Float16(1))) == 2048);
  CHECK(static_cast<float>(Float16(Float16(2048) + Float16(3))) == 2052);
  CHECK(static_cast<float>(BFloat16(BFloat16(256) + BFloat16(1))) == 256);
}

}  // namespace
}  // namespace epochcast::tests
