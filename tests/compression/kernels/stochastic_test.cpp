// SPDX-License-Identifier: Apache-2.0
// The codes that round at random: ternary digits and levels.
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "compression/kernels/stochastic_levels.hpp"
#include "compression/kernels/ternary.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

using Round = std::function<std::vector<float>(const std::vector<float>&, Random&)>;

std::vector<float> through_ternary(const std::vector<float>& values, Random& random) {
  std::vector<std::byte> code(static_cast<std::size_t>(ternary_bytes(std::ssize(values))));
  encode_ternary(values, random, code);
  std::vector<float> decoded(values.size());
  add_ternary(code, decoded);
  return decoded;
}

std::vector<float> through_levels(const std::vector<float>& values, int levels, Random& random) {
  std::vector<std::byte> code(static_cast<std::size_t>(level_bytes(std::ssize(values), levels)));
  encode_levels(values, levels, random, code);
  std::vector<float> decoded(values.size());
  add_levels(code, levels, decoded);
  return decoded;
}

/// The mean of 10,000 draws is within five standard errors of each value: a right code fails once
/// in 1.7 million values.
void check_unbiased(const Round& round, const std::vector<float>& values) {
  constexpr int kDraws = 10'000;
  Random random(2022);
  std::vector<double> sums(values.size());
  std::vector<double> squares(values.size());
  for (int draw = 0; draw < kDraws; ++draw) {
    const std::vector<float> rounded = round(values, random);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto number = static_cast<double>(rounded[i]);
      sums[i] += number;
      squares[i] += number * number;
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double mean = sums[i] / kDraws;
    const double variance = std::max(0.0, squares[i] / kDraws - mean * mean);
    // Values that are never rounded differ by float32's rounding alone.
    const double error = 5 * std::sqrt(variance / kDraws) + 1e-6 * std::abs(mean);
    CAPTURE(i, values[i], mean);
    CHECK(std::abs(mean - static_cast<double>(values[i])) <= error);
  }
}

const std::vector<float> kValues = {
    0.5F, -0.25F, 0, 1, -1, 0.001F, 0.75F, -0.6F, 0.3F, 0.01F, 0.9F};

TEST_CASE("terngrad is unbiased: the mean of 10,000 draws") {
  check_unbiased(through_ternary, kValues);
}

TEST_CASE("qsgd is unbiased for any number of levels: the mean of 10,000 draws") {
  for (const int levels : {1, 4, 7, 127}) {
    CAPTURE(levels);
    check_unbiased([&](const std::vector<float>& values,
                       Random& random) { return through_levels(values, levels, random); },
                   kValues);
  }
}

TEST_CASE("terngrad sends -1, 0 or 1 times the absolute maximum, five to a byte") {
  Random random(1);
  CHECK(ternary_bytes(0) == 4);
  CHECK(ternary_bytes(5) == 4 + 1);
  CHECK(ternary_bytes(11) == 4 + 3);

  for (const float value : through_ternary(kValues, random))
    CHECK((value == 0 || std::abs(value) == 1));
  CHECK(through_ternary({3, -3, 0, 3, 0, -3}, random) == std::vector<float>{3, -3, 0, 3, 0, -3});
}

TEST_CASE("qsgd packs 2s + 1 levels into as many bits as they need") {
  CHECK(level_bytes(512, 1) == 4 + 512 * 2 / 8);
  CHECK(level_bytes(512, 3) == 4 + 512 * 3 / 8);
  CHECK(level_bytes(512, 7) == 4 + 512 * 4 / 8);
  CHECK(level_bytes(513, 7) == 8 + 257);
  CHECK(level_bytes(512, 127) == 4 + 512);
}

TEST_CASE("qsgd is exact for multiples of norm / s, in every block") {
  Random random(5);
  std::vector<float> values(1300);
  for (std::size_t block = 0; block < 3; ++block) {  // norm 5: 3² + 4² = 5²
    values[512 * block + 17] = 3;
    values[512 * block + 200] = -4;
  }

  CHECK(through_levels(values, 5, random) == values);
}

TEST_CASE("what is not finite stays visible in codes that round at random") {
  Random random(1);
  for (const float odd : {std::numeric_limits<float>::infinity(), std::nanf("")}) {
    CHECK(std::isnan(through_ternary({1, odd, 0}, random)[2]));
    CHECK(std::isnan(through_ternary({1, 0, odd}, random)[0]));
    CHECK(std::isnan(through_levels({1, odd, 0}, 7, random)[2]));
  }
}

}  // namespace
}  // namespace epochcast::tests
