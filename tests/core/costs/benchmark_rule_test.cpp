// SPDX-License-Identifier: Apache-2.0
#include "core/costs/benchmark_rule.hpp"

#include "tests/catch.hpp"

namespace epochcast {
namespace {

TEST_CASE("a benchmark takes ten batches and a second") {
  CHECK_FALSE(is_benchmark_over(9, 1.5));
  CHECK_FALSE(is_benchmark_over(10, 0.9));
  CHECK(is_benchmark_over(10, 1));
}

TEST_CASE("a benchmark of slow batches ends after twenty seconds and three batches") {
  CHECK_FALSE(is_benchmark_over(2, 300));
  CHECK(is_benchmark_over(3, 20));
}

TEST_CASE("a benchmark of batches that take no time ends") { CHECK(is_benchmark_over(1000, 0)); }

}  // namespace
}  // namespace epochcast
