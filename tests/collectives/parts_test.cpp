// SPDX-License-Identifier: Apache-2.0
#include "collectives/parts.hpp"

#include <vector>

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

using Sizes = std::vector<std::int64_t>;

TEST_CASE("equal parts divide the payload by the number of ranks") {
  const Parts parts = Parts::equal(5);

  CHECK(parts.divisions() == 5);
  CHECK(parts.are_equal());
  CHECK(parts.of(3) == Block{3, 4});
  CHECK(Parts::equal(5, 4).divisions() == 20);
  CHECK(Parts::equal(5, 4).range(1, 3) == Block{4, 12});
}

TEST_CASE("unequal parts follow each other, in units of their greatest common divisor") {
  const Parts parts(Sizes{6, 0, 4, 10});

  CHECK(parts.ranks() == 4);
  CHECK(parts.divisions() == 10);
  CHECK_FALSE(parts.are_equal());
  CHECK(parts.of(0) == Block{0, 3});
  CHECK(parts.of(1) == Block{3, 3});
  CHECK(parts.of(2) == Block{3, 5});
  CHECK(parts.range(1, 4) == Block{3, 10});
}

TEST_CASE("equal sizes are parts of one unit") {
  const Parts parts(Sizes{250, 250, 250});

  CHECK(parts.are_equal());
  CHECK(parts.divisions() == 3);
}

TEST_CASE("sizes that differ by rounding alone are parts of one unit") {
  const Parts rounded(Sizes{3, 3, 4});  // of 10 elements, as Parts::equal(3) divides them
  const Parts in_another_order(Sizes{4, 3, 3});
  const Parts fewer_than_ranks(Sizes{0, 1, 1});

  CHECK(rounded.are_equal());
  CHECK(rounded.divisions() == 3);
  CHECK(first_element(rounded.of(2).begin, 3, 10) == 6);
  CHECK_FALSE(in_another_order.are_equal());
  CHECK_FALSE(fewer_than_ranks.are_equal());
}

TEST_CASE("a payload without elements has one unit, which is in no part") {
  const Parts parts(Sizes{0, 0});

  CHECK(parts.divisions() == 1);
  CHECK_FALSE(parts.are_equal());
  CHECK(parts.of(0).size() == 0);
  CHECK(parts.of(1).size() == 0);
}

TEST_CASE("parts of no ranks, of negative sizes and of no units are refused") {
  CHECK_THROWS_WITH(Parts(Sizes{}), "a schedule needs at least one rank");
  CHECK_THROWS_WITH(Parts::equal(0), "a schedule needs at least one rank");
  CHECK_THROWS_WITH(Parts(Sizes{4, -1}), "a part has a negative size");
  CHECK_THROWS_WITH(Parts::equal(4, 0), "equal parts need at least one unit");
}

TEST_CASE("a unit's first element is rounded down, also where a product would overflow") {
  const std::int64_t many = 4'000'000'000'000;

  CHECK(first_element(1, 3, 10) == 3);
  CHECK(first_element(2, 3, 10) == 6);
  CHECK(first_element(3, 3, 10) == 10);
  CHECK(first_element(many - 1, many, many) == many - 1);
}

}  // namespace
}  // namespace epochcast::tests
