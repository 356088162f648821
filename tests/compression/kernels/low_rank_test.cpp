// SPDX-License-Identifier: Apache-2.0
#include "compression/kernels/low_rank.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/statistics/random.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

std::vector<float> normal_numbers(std::int64_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<float>(random.normal()));
  return numbers;
}

/// The approximation after one power iteration from random columns.
std::vector<float> approximated(const std::vector<float>& matrix, const LowRankShape& shape) {
  std::vector<float> right = normal_numbers(shape.right_size(), 4);
  std::vector<float> left(static_cast<std::size_t>(shape.left_size()));
  orthogonalise(right, shape.columns, shape.rank);
  multiply(matrix, right, shape, left);
  orthogonalise(left, shape.rows, shape.rank);
  multiply_transposed(matrix, left, shape, right);
  std::vector<float> result(matrix.size());
  expand(left, right, shape, result);
  return result;
}

void check_close(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  // Sums of at most 20 products of float32 numbers near 1.
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == Approx(b[i]).margin(1e-5));
}

TEST_CASE("a tensor is a matrix of its first dimension by all others") {
  const LowRankShape shape = low_rank_shape(std::vector<std::int64_t>{64, 3, 7, 7}, 4);

  CHECK(shape.rows == 64);
  CHECK(shape.columns == 147);
  CHECK(shape.rank == 4);
  CHECK(low_rank_shape(std::vector<std::int64_t>{2, 50}, 4).rank == 2);
}

TEST_CASE("tensors are compressed if factors have less than half of their numbers; vectors never") {
  using Tensor = std::vector<std::int64_t>;
  CHECK(is_compressible(Tensor{10, 10}, 2, 2));        // 40 · 2 < 100
  CHECK_FALSE(is_compressible(Tensor{8, 8}, 2, 2));    // 32 · 2 = 64
  CHECK_FALSE(is_compressible(Tensor{10, 10}, 3, 2));  // 60 · 2 > 100
  CHECK_FALSE(is_compressible(Tensor{1000}, 1, 2));
  CHECK_FALSE(is_compressible(Tensor{}, 1, 2));
}

TEST_CASE("orthogonal columns have norm 1 and products 0") {
  std::vector<float> columns = normal_numbers(3 * 20, 1);
  orthogonalise(columns, 20, 3);

  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      double product = 0;
      for (std::size_t i = 0; i < 20; ++i)
        product +=
            static_cast<double>(columns[20 * a + i]) * static_cast<double>(columns[20 * b + i]);
      CHECK(product == Approx(a == b ? 1 : 0).margin(1e-6));
    }
  }
}

TEST_CASE("a column that depends on earlier ones becomes zero, not noise") {
  std::vector<float> columns = {1, 2, 2, 2, 4, 4, 0, 0, 0};
  orthogonalise(columns, 3, 3);

  CHECK(columns[0] == Approx(1.0 / 3));
  CHECK(std::all_of(columns.begin() + 3, columns.end(), [](float value) { return value == 0; }));
}

TEST_CASE("full rank reproduces a matrix, tall, wide, square or singular") {
  for (const auto& [rows, columns] :
       {std::pair<std::int64_t, std::int64_t>{7, 4}, {4, 7}, {6, 6}}) {
    CAPTURE(rows, columns);
    const LowRankShape shape = {.rows = rows, .columns = columns, .rank = std::min(rows, columns)};
    std::vector<float> matrix = normal_numbers(rows * columns, 8);
    check_close(approximated(matrix, shape), matrix);
    std::fill(matrix.begin(), matrix.begin() + columns, 0.0F);  // a row of zeros
    check_close(approximated(matrix, shape), matrix);
  }
}

TEST_CASE("rank r reproduces a matrix of rank r") {
  const LowRankShape shape = {.rows = 9, .columns = 12, .rank = 2};
  const std::vector<float> left = normal_numbers(shape.left_size(), 2);
  const std::vector<float> right = normal_numbers(shape.right_size(), 3);
  std::vector<float> matrix(static_cast<std::size_t>(shape.size()));
  expand(left, right, shape, matrix);

  check_close(approximated(matrix, shape), matrix);
}

}  // namespace
}  // namespace epochcast::tests
