// SPDX-License-Identifier: Apache-2.0
#include "compression/kernels/low_rank.hpp"

#include <algorithm>
#include <cmath>

namespace epochcast {
namespace {

/// A column counts as dependent when projecting leaves less than this share of it: what rounding
/// of float32 leaves.
constexpr double kDependent = 1e-6;

std::span<const float> column_of(std::span<const float> columns,
                                 std::int64_t length,
                                 std::int64_t i) {
  return columns.subspan(static_cast<std::size_t>(i * length), static_cast<std::size_t>(length));
}

double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

/// to += factor · from
void add_times(std::span<float> to, double factor, std::span<const float> from) {
  const auto times = static_cast<float>(factor);
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += times * from[i];
}

}  // namespace

LowRankShape low_rank_shape(std::span<const std::int64_t> tensor, std::int64_t rank) {
  std::int64_t size = 1;
  for (const std::int64_t length : tensor) size *= length;
  const std::int64_t rows = tensor.empty() ? 1 : tensor.front();
  const std::int64_t columns = rows > 0 ? size / rows : 0;
  return {.rows = rows, .columns = columns, .rank = std::min({rows, columns, rank})};
}

bool is_compressible(std::span<const std::int64_t> tensor, std::int64_t rank, double min_rate) {
  if (tensor.size() < 2) return false;
  const LowRankShape shape = low_rank_shape(tensor, rank);
  const auto factors = static_cast<double>((shape.rows + shape.columns) * rank);
  return factors * min_rate < static_cast<double>(shape.size());
}

void multiply(std::span<const float> matrix,
              std::span<const float> right,
              const LowRankShape& shape,
              std::span<float> left) {
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    const auto line = column_of(matrix, shape.columns, row);
    for (std::int64_t i = 0; i < shape.rank; ++i)
      left[static_cast<std::size_t>(i * shape.rows + row)] =
          static_cast<float>(dot(line, column_of(right, shape.columns, i)));
  }
}

void multiply_transposed(std::span<const float> matrix,
                         std::span<const float> left,
                         const LowRankShape& shape,
                         std::span<float> right) {
  std::fill(right.begin(), right.end(), 0.0F);
  const auto columns = static_cast<std::size_t>(shape.columns);
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    const auto line = column_of(matrix, shape.columns, row);
    for (std::int64_t i = 0; i < shape.rank; ++i)
      add_times(right.subspan(static_cast<std::size_t>(i) * columns, columns),
                static_cast<double>(left[static_cast<std::size_t>(i * shape.rows + row)]),
                line);
  }
}

void expand(std::span<const float> left,
            std::span<const float> right,
            const LowRankShape& shape,
            std::span<float> matrix) {
  std::fill(matrix.begin(), matrix.end(), 0.0F);
  const auto columns = static_cast<std::size_t>(shape.columns);
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    for (std::int64_t i = 0; i < shape.rank; ++i)
      add_times(matrix.subspan(static_cast<std::size_t>(row) * columns, columns),
                static_cast<double>(left[static_cast<std::size_t>(i * shape.rows + row)]),
                column_of(right, shape.columns, i));
  }
}

void orthogonalise(std::span<float> columns, std::int64_t length, std::int64_t rank) {
  const auto size = static_cast<std::size_t>(length);
  for (std::int64_t i = 0; i < rank; ++i) {
    const auto column = columns.subspan(static_cast<std::size_t>(i) * size, size);
    const double before = std::sqrt(dot(column, column));
    for (int pass = 0; pass < 2; ++pass) {
      for (std::int64_t j = 0; j < i; ++j) {
        const auto earlier = column_of(columns, length, j);
        add_times(column, -dot(column, earlier), earlier);
      }
    }
    const double norm = std::sqrt(dot(column, column));
    // Not if NaN: that has to stay visible.
    const double factor = norm <= kDependent * before ? 0 : 1 / norm;
    for (float& value : column) value = static_cast<float>(factor * static_cast<double>(value));
  }
}

}  // namespace epochcast
