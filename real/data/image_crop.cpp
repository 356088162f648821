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

/// One of `room + 1` positions.
std::int64_t draw_start(std::int64_t room, Random& random) {
  return static_cast<std::int64_t>(random.uniform() * static_cast<double>(room + 1));
}

}  // namespace

Rectangle centre_crop(std::int64_t image_width, std::int64_t image_height, const CropSize& size) {
  constexpr double kMargin = 256.0 / 224;
  const auto full_width = static_cast<double>(image_width);
  const auto full_height = static_cast<double>(image_height);
  const auto width = static_cast<double>(size.width);
  const auto height = static_cast<double>(size.height);
  const double pixels_per_pixel =
      size.resized ? std::min(full_width, full_height) / static_cast<double>(*size.resized)
                   : std::min(full_width / (width * kMargin), full_height / (height * kMargin));
  return centred(image_width, image_height, width * pixels_per_pixel, height * pixels_per_pixel);
}

Rectangle draw_place(std::int64_t image_width,
                     std::int64_t image_height,
                     const CropSize& size,
                     Random& random) {
  Rectangle part = centre_crop(image_width, image_height, size);
  part.left = draw_start(image_width - part.width, random);
  part.top = draw_start(image_height - part.height, random);
  return part;
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
    const std::int64_t left = draw_start(image_width - width, random);
    const std::int64_t top = draw_start(image_height - height, random);
    return {left, top, width, height};
  }
  return centred(image_width,
                 image_height,
                 std::min(full_width, full_height * kWidestRatio),
                 std::min(full_height, full_width * kWidestRatio));
}

}  // namespace epochcast::real
