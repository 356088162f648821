// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/known_network.hpp"

namespace epochcast::real {

bool is_image(std::span<const std::int64_t> shape, std::int64_t pixels) {
  return shape.size() == 3 && shape[0] >= 1 && shape[1] >= pixels && shape[2] >= pixels;
}

ShapeRequirement image_of_at_least(std::int64_t pixels) {
  const std::string least = std::to_string(pixels);
  return {
      .expected = "images [channels, rows, columns] of at least " + least + " x " + least +
                  (pixels == 1 ? " pixel" : " pixels"),
      .is_met = [pixels](std::span<const std::int64_t> shape) { return is_image(shape, pixels); }};
}

}  // namespace epochcast::real
