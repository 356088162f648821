// SPDX-License-Identifier: Apache-2.0
#include "core/shared_numbers.hpp"

#include <numeric>

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

TEST_CASE("copies of shared numbers are the same numbers, not more of them") {
  const SharedNumbers numbers(std::vector<double>{1, 2, 3});
  const SharedNumbers copy = numbers;

  CHECK(copy.values() == std::vector<double>{1, 2, 3});
  CHECK(copy.values().data() == numbers.values().data());
}

TEST_CASE("a value derived from shared numbers is computed once") {
  const SharedNumbers numbers(std::vector<double>{1, 2, 3});
  int computed = 0;
  const auto sum = [&](const std::vector<double>& values) {
    ++computed;
    return std::accumulate(values.begin(), values.end(), 0.0);
  };

  const auto first = numbers.follow(sum);
  const auto second = SharedNumbers(numbers).follow(sum);

  CHECK(*first == 6);
  CHECK(first == second);
  CHECK(computed == 1);
}

TEST_CASE("a value derived from shared numbers outlives them") {
  std::shared_ptr<const std::vector<double>> doubled;
  {
    const SharedNumbers numbers(std::vector<double>{1, 2});
    doubled = numbers.follow([](const std::vector<double>& values) {
      return std::vector<double>{2 * values[0], 2 * values[1]};
    });
  }

  CHECK(*doubled == std::vector<double>{2, 4});
}

}  // namespace
}  // namespace epochcast::tests
