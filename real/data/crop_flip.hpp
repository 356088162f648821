// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "base/statistics/random.hpp"

namespace epochcast::real {

/// The largest shift of a training image, in pixels: the padding of the usual CIFAR recipe.
inline constexpr std::int64_t kCropPadding = 4;

/// The augmentation of small images: a crop of the image padded by 4 pixels, mirrored half the
/// time (He et al., Deep Residual Learning, 2016, section 4.2).
struct CropFlip {
  std::int64_t row_shift = 0;     ///< -4 to 4: output row r shows input row r + row_shift
  std::int64_t column_shift = 0;  ///< -4 to 4
  bool is_flipped = false;        ///< left and right swapped, before the shift
};

/// Drawn from `variant` and the sample's index, so that one variant serves a whole epoch.
[[nodiscard]] inline CropFlip draw_crop_flip(std::uint64_t variant, std::int64_t index) {
  Random random(mix_seed(variant, static_cast<std::uint64_t>(index)));
  const auto shift = [&] {
    constexpr double kShifts = 2 * kCropPadding + 1;
    return static_cast<std::int64_t>(random.uniform() * kShifts) - kCropPadding;
  };
  const std::int64_t row_shift = shift();
  const std::int64_t column_shift = shift();
  return {row_shift, column_shift, random.uniform() < 0.5};
}

/// Writes the image moved by `move` to `output` (row-major). `shape` is {channels, rows, columns};
/// `pixel(channel, i)` is element i of the image, `border(channel)` the value around it.
template <typename Pixel, typename Border>
void write_moved(std::span<const std::int64_t> shape,
                 const CropFlip& move,
                 Pixel pixel,
                 Border border,
                 std::span<float> output) {
  const std::int64_t rows = shape[1];
  const std::int64_t columns = shape[2];
  float* out = output.data();
  for (std::int64_t channel = 0; channel < shape[0]; ++channel) {
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t from_row = row + move.row_shift;
      const std::int64_t row_start = (channel * rows + from_row) * columns;
      for (std::int64_t column = 0; column < columns; ++column) {
        const std::int64_t unflipped = column + move.column_shift;
        const std::int64_t from = move.is_flipped ? columns - 1 - unflipped : unflipped;
        const bool is_inside = from_row >= 0 && from_row < rows && from >= 0 && from < columns;
        *out++ = is_inside ? pixel(channel, row_start + from) : border(channel);
      }
    }
  }
}

}  // namespace epochcast::real
