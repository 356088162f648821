// SPDX-License-Identifier: Apache-2.0
#include "compression/kernels/signs.hpp"

#include <cmath>
#include <vector>

#include "base/statistics/random.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

TEST_CASE("signs take a bit for each value and a scale") {
  CHECK(sign_bytes(0) == 4);
  CHECK(sign_bytes(8) == 4 + 1);
  CHECK(sign_bytes(9) == 4 + 2);
}

TEST_CASE("signs keep the norm of a vector, and the error is what they lack") {
  const std::vector<float> values = {3, -4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                     0, 0,  0, 0, 0, 0, 0, 0, 0, 0, 0, 0};  // norm 5 of 25
  std::vector<float> error = values;
  std::vector<std::byte> code(static_cast<std::size_t>(sign_bytes(std::ssize(values))));
  encode_signs(error, sign_scale(values), code);
  std::vector<float> decoded(values.size());
  add_signs(code, decoded);

  for (std::size_t i = 0; i < values.size(); ++i) {
    CHECK(decoded[i] == (values[i] < 0 ? -1 : 1));
    CHECK(error[i] == values[i] - decoded[i]);
  }
}

TEST_CASE("signs of values of one size are exact") {
  Random random(9);
  std::vector<float> values;
  for (int i = 0; i < 100; ++i) values.push_back(random.uniform() < 0.5 ? 0.25F : -0.25F);
  std::vector<float> error = values;
  std::vector<std::byte> code(static_cast<std::size_t>(sign_bytes(100)));
  encode_signs(error, sign_scale(values), code);
  std::vector<float> decoded(values.size());
  add_signs(code, decoded);

  CHECK(decoded == values);
  CHECK(error == std::vector<float>(100, 0.0F));
}

}  // namespace
}  // namespace epochcast::tests
