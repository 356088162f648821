// SPDX-License-Identifier: Apache-2.0
#include "tests/real/data/images.hpp"

#include <gd.h>

#include <stdexcept>

namespace epochcast::real::tests {
namespace {

void* encode(gdImagePtr image, Encoding encoding, int* bytes) {
  constexpr int kJpegQuality = 95;
  switch (encoding) {
    case Encoding::jpeg:
      return gdImageJpegPtr(image, bytes, kJpegQuality);
    case Encoding::png:
      return gdImagePngPtr(image, bytes);
    case Encoding::webp:
      return gdImageWebpPtrEx(image, bytes, gdWebpLossless);
    case Encoding::bmp:
      return gdImageBmpPtr(image, bytes, 0);
    case Encoding::gif:
      return gdImageGifPtr(image, bytes);
  }
  return nullptr;
}

}  // namespace

Painting::Painting(int width, int height, const std::function<int(int, int)>& colour)
    : image_(gdImageCreateTrueColor(width, height), &gdImageDestroy) {
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      gdImageSetPixel(image_.get(), x, y, colour(x, y) & 0xffffff);
    }
  }
}

Bytes Painting::encoded(Encoding encoding) const {
  int size = 0;
  const std::unique_ptr<void, void (*)(void*)> bytes(encode(image_.get(), encoding, &size),
                                                     &gdFree);
  if (!bytes) throw std::runtime_error("libgd cannot encode an image");
  const auto* first = static_cast<const std::uint8_t*>(bytes.get());
  return {first, first + size};
}

}  // namespace epochcast::real::tests
