// SPDX-License-Identifier: Apache-2.0
#include "real/data/picture_grid.hpp"

#include <gd.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <memory>
#include <span>

#include "base/error.hpp"

namespace epochcast::real {
namespace {

constexpr int kWhite = 255;

int byte_of(float value) {
  return static_cast<int>(std::lround(static_cast<float>(kWhite) * std::clamp(value, 0.0F, 1.0F)));
}

/// libgd's colour of pixel `i` of an image [channels, pixels].
int colour_of(std::span<const float> image, std::size_t pixels, std::size_t i) {
  if (image.size() < 3 * pixels) {
    const int grey = byte_of(image[i]);
    return gdTrueColor(grey, grey, grey);
  }
  const int red = byte_of(image[i]);
  const int green = byte_of(image[pixels + i]);
  const int blue = byte_of(image[2 * pixels + i]);
  return gdTrueColor(red, green, blue);
}

}  // namespace

std::string png_grid(const Pictures& pictures, std::int64_t across) {
  const std::int64_t rows = pictures.shape[1];
  const std::int64_t columns = pictures.shape[2];
  const auto pixels = static_cast<std::size_t>(rows * columns);
  const std::size_t size = static_cast<std::size_t>(pictures.shape[0]) * pixels;
  const auto images = static_cast<std::int64_t>(pictures.values.size() / size);
  assert(images > 0 && images % across == 0);
  const std::int64_t down = images / across;
  const auto width = static_cast<int>(across * (columns + kGridGap) - kGridGap);
  const auto height = static_cast<int>(down * (rows + kGridGap) - kGridGap);
  const std::unique_ptr<gdImage, void (*)(gdImagePtr)> grid(gdImageCreateTrueColor(width, height),
                                                            &gdImageDestroy);
  if (!grid) throw RunError("no memory for a picture of " + std::to_string(images) + " images");
  gdImageFilledRectangle(
      grid.get(), 0, 0, width - 1, height - 1, gdTrueColor(kWhite, kWhite, kWhite));
  for (std::int64_t n = 0; n < images; ++n) {
    const auto image = std::span(pictures.values).subspan(static_cast<std::size_t>(n) * size, size);
    const std::int64_t top = n / across * (rows + kGridGap);
    const std::int64_t left = n % across * (columns + kGridGap);
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      grid->tpixels[top + i / columns][left + i % columns] =
          colour_of(image, pixels, static_cast<std::size_t>(i));
    }
  }
  int bytes = 0;
  const std::unique_ptr<void, void (*)(void*)> png(gdImagePngPtr(grid.get(), &bytes), &gdFree);
  if (!png) throw RunError("libgd cannot encode a picture");
  return {static_cast<const char*>(png.get()), static_cast<std::size_t>(bytes)};
}

}  // namespace epochcast::real
