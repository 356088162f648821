// SPDX-License-Identifier: Apache-2.0
#include "base/statistics/pareto_front.hpp"

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

using Places = std::vector<std::size_t>;

TEST_CASE("the front has the options that no other one dominates") {
  // 1 beats 2 (same time, cheaper) and 3 (as cheap, faster); 0 is fastest, 4 cheapest.
  CHECK(pareto_front({{"", 1, 9}, {"", 2, 5}, {"", 2, 6}, {"", 3, 5}, {"", 4, 1}}) ==
        Places{0, 1, 4});
}

TEST_CASE("equal options are both on the front, and kinds are not compared") {
  CHECK(pareto_front({{"a", 2, 2}, {"b", 1, 1}, {"a", 2, 2}, {"b", 3, 3}}) == Places{0, 1, 2});
  CHECK(pareto_front({}).empty());
}

}  // namespace
}  // namespace epochcast::tests
