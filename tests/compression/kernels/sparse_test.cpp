// SPDX-License-Identifier: Apache-2.0
#include "compression/kernels/sparse.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>
#include <vector>

#include "base/statistics/random.hpp"
#include "compression/kernels/gaussian.hpp"
#include "compression/kernels/regions.hpp"
#include "tests/catch.hpp"

namespace epochcast {

std::ostream& operator<<(std::ostream& out, const SparseEntry& entry) {
  return out << entry.index << ": " << entry.value;
}

namespace tests {
namespace {

using Entries = std::vector<SparseEntry>;

Entries largest_of(const std::vector<float>& values, std::size_t k) {
  Entries kept(k);
  select_largest(values, kept);
  return kept;
}

TEST_CASE("k is the nearest count to the ratio, at least one") {
  CHECK(kept_count(1000, 0.01) == 10);
  CHECK(kept_count(149, 0.01) == 1);
  CHECK(kept_count(151, 0.01) == 2);
  CHECK(kept_count(3, 0.001) == 1);
  CHECK(kept_count(7, 1) == 7);
  CHECK(kept_count(0, 0.5) == 0);
}

TEST_CASE("the largest absolute values are kept, by index; of equal ones the first") {
  CHECK(largest_of({1, -5, 3, 4, -4}, 2) == Entries{{-5, 1}, {4, 3}});
  CHECK(largest_of({1, -5, 3, 4, -4}, 3) == Entries{{-5, 1}, {4, 3}, {-4, 4}});
  CHECK(largest_of({2, 2, -2, 2}, 2) == Entries{{2, 0}, {2, 1}});
  CHECK(largest_of({0, 0, 0}, 3) == Entries{{0, 0}, {0, 1}, {0, 2}});
}

TEST_CASE("the largest values are those of a full sort, for every k") {
  Random random(3);
  std::vector<float> values;
  for (int i = 0; i < 200; ++i)
    values.push_back(static_cast<float>(std::round(10 * random.normal())));  // many are equal
  std::vector<std::int32_t> order(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int32_t>(i);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return std::abs(values[static_cast<std::size_t>(a)]) >
           std::abs(values[static_cast<std::size_t>(b)]);
  });

  for (std::size_t k = 1; k <= values.size(); ++k) {
    std::vector<std::int32_t> expected(order.begin(), order.begin() + static_cast<long>(k));
    std::sort(expected.begin(), expected.end());
    std::vector<std::int32_t> found;
    for (const SparseEntry& entry : largest_of(values, k)) found.push_back(entry.index);
    REQUIRE(found == expected);
  }
}

TEST_CASE("a number that is not one is larger than all others, and is passed on") {
  const Entries kept = largest_of({1, std::nanf(""), INFINITY, 7}, 2);

  CHECK(std::isnan(kept[0].value));
  CHECK(kept[1] == SparseEntry{INFINITY, 2});
}

TEST_CASE("values above a threshold, with or without equal ones") {
  const std::vector<float> values = {1, -2, 3, -2};

  CHECK(select_above(values, 2) == Entries{{3, 2}});
  CHECK(select_above(values, 2, true) == Entries{{-2, 1}, {3, 2}, {-2, 3}});
  CHECK(select_above(values, 2, false, 100) == Entries{{3, 102}});
}

TEST_CASE("of candidates the largest are kept and the others returned; places may stay empty") {
  const Entries candidates = {{1, 3}, {-7, 5}, {4, 9}};
  Entries two(2);
  Entries four(4);

  CHECK(keep_largest(candidates, two) == Entries{{1, 3}});
  CHECK(two == Entries{{-7, 5}, {4, 9}});
  CHECK(keep_largest(candidates, four).empty());
  CHECK(four == Entries{{1, 3}, {-7, 5}, {4, 9}, {}});
}

TEST_CASE("sparse vectors add up by index, without empty entries") {
  const Entries a = {{1, 0}, {2, 4}, {}};
  const Entries b = {{-2, 4}, {8, 7}};
  const std::array<std::span<const SparseEntry>, 2> parts = {a, b};

  CHECK(sum_of(parts) == Entries{{1, 0}, {0, 4}, {8, 7}});
}

TEST_CASE("entries are added to and cleared from a dense vector; empty ones change nothing") {
  std::vector<float> values = {1, 2, 3};
  const Entries entries = {{10, 1}, {}};

  add_entries(entries, values);
  CHECK(values == std::vector<float>{1, 12, 3});
  clear_entries(entries, values);
  CHECK(values == std::vector<float>{1, 0, 3});
}

TEST_CASE("regions have as many indices each, and together are everything") {
  const std::vector<std::int32_t> indices = {1, 2, 3, 50, 60, 99};

  CHECK(balanced_regions({}, 100, 4) == std::vector<std::int64_t>{0, 25, 50, 75, 100});
  CHECK(balanced_regions(indices, 100, 3) == std::vector<std::int64_t>{0, 3, 60, 100});
  CHECK(balanced_regions(indices, 100, 1) == std::vector<std::int64_t>{0, 100});
}

TEST_CASE("a standard normal number is beyond 1.959964 with probability 5 %") {
  CHECK(two_sided_quantile(0.05) == Approx(1.959963985));  // tables of the normal distribution
  CHECK(two_sided_quantile(0.01) == Approx(2.575829304));
  CHECK(two_sided_quantile(1) == 0);
}

TEST_CASE("a Gaussian fit selects about k of normal numbers, and corrects for other ones") {
  Random random(11);
  std::vector<float> normal;
  std::vector<float> heavy;
  for (int i = 0; i < 20'000; ++i) {
    const double number = random.normal();
    normal.push_back(static_cast<float>(number));
    heavy.push_back(static_cast<float>(number * std::abs(number)));
  }

  // 200 expected, with a standard deviation of sqrt(200) = 14.
  CHECK(std::abs(std::ssize(select_by_gaussian(normal, 200)) - 200) < 4 * 14);
  const auto found = std::ssize(select_by_gaussian(heavy, 200));
  CHECK(3 * found >= 2 * 200);
  CHECK(3 * found <= 4 * 200);
  CHECK(std::ssize(select_by_gaussian(normal, 20'000)) == 20'000);
}

}  // namespace
}  // namespace tests
}  // namespace epochcast
