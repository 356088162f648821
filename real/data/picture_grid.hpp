// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace epochcast::real {

/// Images that a network made.
struct Pictures {
  std::vector<std::int64_t> shape = {};  ///< of one: {channels, rows, columns}
  std::vector<float> values = {};        ///< [images, shape...]; 0 black, 1 white
};

/// Pixels between two images of a grid, white.
inline constexpr std::int64_t kGridGap = 2;

/// The bytes of a PNG file that shows the images row by row, `across` in a row, with a gap between
/// them and none around; the number of images is a multiple of `across`. Three channels and more:
/// red, green and blue are the first ones; fewer: the first one in grey. Values beyond black and
/// white are clipped.
[[nodiscard]] std::string png_grid(const Pictures& pictures, std::int64_t across);

}  // namespace epochcast::real
