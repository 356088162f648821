// SPDX-License-Identifier: Apache-2.0
#include "compression/kernels/int8_blocks.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "base/statistics/random.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

std::vector<float> through_int8(const std::vector<float>& values) {
  std::vector<std::byte> code(static_cast<std::size_t>(int8_bytes(std::ssize(values))));
  encode_int8(values, code);
  std::vector<float> decoded(values.size());
  add_int8(code, decoded);
  return decoded;
}

TEST_CASE("int8 has a byte for each value and a scale for each 256") {
  CHECK(int8_bytes(0) == 0);
  CHECK(int8_bytes(1) == 1 + 4);
  CHECK(int8_bytes(256) == 256 + 4);
  CHECK(int8_bytes(257) == 257 + 8);
}

TEST_CASE("int8 is exact for multiples of a power of two with 127 as the largest in each block") {
  std::vector<float> values;
  for (int block = 0; block < 3; ++block) {
    const float step = std::ldexp(1.0F, 7 * block - 20);
    for (int i = 0; i < 255; ++i) values.push_back(step * static_cast<float>(i - 127));
    values.push_back(0);
  }
  values.resize(700);  // the last block is not full, but has -127

  CHECK(through_int8(values) == values);
}

TEST_CASE("int8 differs by at most half a step, and adds to what is there") {
  Random random(7);
  std::vector<float> values;
  for (int i = 0; i < 1000; ++i) values.push_back(static_cast<float>(random.normal()));
  const std::vector<float> decoded = through_int8(values);

  for (std::size_t i = 0; i < values.size(); ++i) {
    float largest = 0;
    for (std::size_t j = i / 256 * 256; j < std::min(values.size(), i / 256 * 256 + 256); ++j)
      largest = std::max(largest, std::abs(values[j]));
    // A float32 rounds the scale and the product: 1e-6 of the largest value.
    CHECK(std::abs(decoded[i] - values[i]) <= largest * (0.5F / 127 + 1e-6F));
  }

  std::vector<std::byte> code(static_cast<std::size_t>(int8_bytes(2)));
  encode_int8(std::vector<float>{127, -1}, code);
  std::vector<float> sum = {1, 2};
  add_int8(code, sum);
  CHECK(sum == std::vector<float>{128, 1});
}

TEST_CASE("int8 keeps zeros, the smallest numbers in range, and what is not finite visible") {
  CHECK(through_int8({0, 0}) == std::vector<float>{0, 0});
  const float smallest = std::numeric_limits<float>::denorm_min();
  CHECK(std::abs(through_int8({200 * smallest}).front()) <= 400 * smallest);
  const float infinite = std::numeric_limits<float>::infinity();
  CHECK(std::isnan(through_int8({1, infinite}).front()));
  CHECK(std::isnan(through_int8({std::nanf(""), 1}).back()));
}

}  // namespace
}  // namespace epochcast::tests
