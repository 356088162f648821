// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/statistics/random.hpp"
#include "real/data/image_file.hpp"

namespace epochcast::real {

/// The size of crops.
struct CropSize {
  std::int64_t width = 0;
  std::int64_t height = 0;
  /// Pixels of the short side of the image that is cut from, after it was resized. Absent: it just
  /// covers `width` x `height` times 256/224, as in the usual ImageNet test.
  std::optional<std::int64_t> resized = {};
};

/// The part of the stored image that becomes the middle of the resized one.
[[nodiscard]] Rectangle centre_crop(std::int64_t image_width,
                                    std::int64_t image_height,
                                    const CropSize& size);

/// As large a part as centre_crop() gives, anywhere in the image, at whole pixels of the stored
/// one.
[[nodiscard]] Rectangle draw_place(std::int64_t image_width,
                                   std::int64_t image_height,
                                   const CropSize& size,
                                   Random& random);

/// 8 % to 100 % of the image's area with sides of ratio 3/4 to 4/3, anywhere in it (Szegedy et al.,
/// Going Deeper with Convolutions, 2015, section 6). After ten draws that do not fit: the largest
/// part in the middle whose ratio is allowed.
[[nodiscard]] Rectangle draw_crop(std::int64_t image_width,
                                  std::int64_t image_height,
                                  Random& random);

}  // namespace epochcast::real
