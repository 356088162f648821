// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace epochcast::real {

/// The input pixels of an output pixel along one axis, and their weights.
struct Taps {
  std::int64_t first = 0;      ///< input pixel
  std::vector<float> weights;  ///< of `first` and those after it; they add up to 1
};

/// Linear interpolation if the axis grows; if it shrinks, a triangle as wide as two output pixels
/// (antialiasing). Pixel centres are at 0.5, 1.5, ...: both ends are treated alike.
[[nodiscard]] std::vector<Taps> triangle_taps(std::int64_t input_pixels,
                                              std::int64_t output_pixels);

}  // namespace epochcast::real
