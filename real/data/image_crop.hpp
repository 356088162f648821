// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/random.hpp"
#include "real/data/image_file.hpp"

namespace epochcast::real {

/// The part that remains when the image is shrunk or enlarged until it just covers `width` x
/// `height` times 256/224, and cut to its centre of `width` x `height`: the usual ImageNet test.
[[nodiscard]] Rectangle centre_crop(std::int64_t image_width,
                                    std::int64_t image_height,
                                    std::int64_t width,
                                    std::int64_t height);

/// 8 % to 100 % of the image's area with sides of ratio 3/4 to 4/3, anywhere in it (Szegedy et al.,
/// Going Deeper with Convolutions, 2015, section 6). After ten draws that do not fit: the largest
/// part in the middle whose ratio is allowed.
[[nodiscard]] Rectangle draw_crop(std::int64_t image_width,
                                  std::int64_t image_height,
                                  Random& random);

}  // namespace epochcast::real
