// SPDX-License-Identifier: Apache-2.0
#include "core/costs/cold_start.hpp"

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

using Seconds = std::vector<double>;

TEST_CASE("a cold start is what the first batches of a tenth of a second take longer") {
  Seconds batches(100, 0.002);
  CHECK(cold_start_s(batches) == 0);
  batches[0] = 0.007;
  batches[2] = 0.003;
  CHECK(cold_start_s(batches) == Approx(0.006).epsilon(1e-9));
  for (std::size_t i = 3; i < 40; ++i) batches[i] = 0.0021;
  // 0.007 + 0.002 + 0.003 + 37 * 0.0021 + 5 * 0.002 s are just below 0.1: 46 batches begin.
  CHECK(cold_start_s(batches) == Approx(0.006 + 43 * 0.0001).epsilon(1e-9));
}

TEST_CASE("stalls, of which later batches have some as well, are no cold start") {
  Seconds batches(100, 0.002);
  batches[0] = 0.005;
  batches[20] = 0.02;
  batches[80] = 0.02;
  CHECK(cold_start_s(batches) == Approx(0.003).epsilon(1e-9));
}

TEST_CASE("of long batches three begin") {
  CHECK(cold_start_s({0.3, 0.25, 0.2, 0.2, 0.2, 0.2}) == Approx(0.15).epsilon(1e-9));
}

TEST_CASE("a start that is as fast, and too few batches to tell, are no cold start") {
  CHECK(cold_start_s({0.1, 0.1, 0.1, 0.2, 0.2, 0.2}) == 0);
  CHECK(cold_start_s({0.3, 0.2, 0.2, 0.2, 0.2}) == 0);
  CHECK(cold_start_s({}) == 0);
  CHECK(cold_start_s(Seconds(20, 0.002)) == 0);
}

}  // namespace
}  // namespace epochcast::tests
