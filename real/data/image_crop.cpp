// SPDX-License-Identifier: Apache-2.0
#include "real/data/image_crop.hpp"

#include <algorithm>
#include <cmath>

namespace epochcast::real {
namespace {

constexpr double kWidestRatio = 4.0 / 3;

/// A part of at least one pixel, centred.
Rectangle centred(std::int64_t image_width,
                  std::int64_t image_height,
                  double width,
                  double height) {
  const auto whole = [](double pixels, std::int64_t most) {
    return std::clamp<std::int64_t>(std::llround(pixels), 1, most);
  };
  Rectangle part = {.width = whole(width, image_width), .height = whole(height, image_height)};
  part.left = (image_width - part.width) / 2;
  part.top = (image_height - part.height) / 2;
  return part;
}

}  // namespace

Rectangle centre_crop(std::int64_t image_width,
                      std::int64_t image_height,
                      std::int64_t width,
                      std::int64_t height) {
  constexpr double kMargin = 256.0 / 224;
  const auto wanted_width = static_cast<double>(width);
  const auto wanted_height = static_cast<double>(height);
  const double pixels_per_pixel =
      std::min(static_cast<double>(image_width) / (wanted_width * kMargin),
               static_cast<double>(image_height) / (wanted_height * kMargin));
  return centred(
      image_width, image_height, wanted_width * pixels_per_pixel, wanted_height * pixels_per_pixel);
}

Rectangle draw_crop(std::int64_t image_width, std::int64_t image_height, Random& random) {
  constexpr int kTries = 10;
  constexpr double kSmallestScale = 0.08;
  const double log_ratio = std::log(kWidestRatio);
  const auto full_width = static_cast<double>(image_width);
  const auto full_height = static_cast<double>(image_height);
  for (int i = 0; i < kTries; ++i) {
    const double scale = kSmallestScale + (1 - kSmallestScale) * random.uniform();
    const double area = full_width * full_height * scale;
    const double ratio = std::exp((2 * random.uniform() - 1) * log_ratio);
    const auto width = static_cast<std::int64_t>(std::llround(std::sqrt(area * ratio)));
    const auto height = static_cast<std::int64_t>(std::llround(std::sqrt(area / ratio)));
    if (width < 1 || width > image_width || height < 1 || height > image_height) continue;
    const auto start = [&](std::int64_t room) {
      return static_cast<std::int64_t>(random.uniform() * static_cast<double>(room + 1));
    };
    const std::int64_t left = start(image_width - width);
    const std::int64_t top = start(image_height - height);
    return {left, top, width, height};
  }
  return centred(image_width,
                 image_height,
                 std::min(full_width, full_height * kWidestRatio),
                 std::min(full_height, full_width * kWidestRatio));
}

}  // namespace epochcast::real
