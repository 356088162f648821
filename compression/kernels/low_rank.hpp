// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace epochcast {

/// A matrix and the rank that it is approximated with.
struct LowRankShape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t rank = 0;

  [[nodiscard]] std::int64_t size() const { return rows * columns; }
  /// Numbers of the factors P (rows x rank) and Q (columns x rank).
  [[nodiscard]] std::int64_t left_size() const { return rows * rank; }
  [[nodiscard]] std::int64_t right_size() const { return columns * rank; }
};

/// A tensor as a matrix: its first dimension by all others. Tensors of one dimension have one
/// column. The rank is at most that of the matrix.
[[nodiscard]] LowRankShape low_rank_shape(std::span<const std::int64_t> tensor, std::int64_t rank);

/// Whether a tensor is sent as factors: if they have less than 1/min_rate of its numbers (the rule
/// of PyTorch's PowerSGD hook, whose factors count with the rank that was asked for).
[[nodiscard]] bool is_compressible(std::span<const std::int64_t> tensor,
                                   std::int64_t rank,
                                   double min_rate);

// Matrices are in rows; factors in columns, each of which is contiguous.

/// P = M·Q
void multiply(std::span<const float> matrix,
              std::span<const float> right,
              const LowRankShape& shape,
              std::span<float> left);
/// Q = Mᵀ·P
void multiply_transposed(std::span<const float> matrix,
                         std::span<const float> left,
                         const LowRankShape& shape,
                         std::span<float> right);
/// M = P·Qᵀ
void expand(std::span<const float> left,
            std::span<const float> right,
            const LowRankShape& shape,
            std::span<float> matrix);
/// Makes the columns orthonormal (modified Gram-Schmidt, each column twice). A column that depends
/// on earlier ones becomes zero.
void orthogonalise(std::span<float> columns, std::int64_t length, std::int64_t rank);

}  // namespace epochcast
