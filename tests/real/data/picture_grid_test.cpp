// SPDX-License-Identifier: Apache-2.0
#include "real/data/picture_grid.hpp"

#include "real/data/image_file.hpp"
#include "tests/catch.hpp"
#include "tests/real/data/files.hpp"

namespace epochcast::real::tests {
namespace {

/// The colours of the decoded picture, row by row.
std::vector<Colour> pixels_of(const std::string& png, std::int64_t width, std::int64_t height) {
  const TemporaryFolder folder;
  write_file(folder.path() / "grid.png", png);
  const ImageFile image(folder.path() / "grid.png");
  REQUIRE(image.width() == width);
  REQUIRE(image.height() == height);
  return image.scaled({.width = width, .height = height}, width, height);
}

Colour grey(float value) { return {value, value, value}; }

TEST_CASE("images are in rows, in order, with white gaps between them") {
  // Four images of one pixel, two across: 1 + 2 + 1 pixels a side.
  const Pictures pictures = {.shape = {1, 1, 1}, .values = {0, 0.2F, 0.4F, 0.6F}};

  const std::vector<Colour> pixels = pixels_of(png_grid(pictures, 2), 4, 4);

  CHECK(pixels[0] == grey(0));
  CHECK(pixels[1] == grey(255));
  CHECK(pixels[2] == grey(255));
  CHECK(pixels[3] == grey(51));
  CHECK(pixels[4] == grey(255));
  CHECK(pixels[12] == grey(102));
  CHECK(pixels[15] == grey(153));
}

TEST_CASE("three channels are red, green and blue, and values beyond black and white are clipped") {
  // Two pixels, one above the other; the channels one after the other.
  const Pictures pictures = {.shape = {3, 2, 1}, .values = {1, -1, 0, 2, 0.4F, 1}};

  const std::vector<Colour> pixels = pixels_of(png_grid(pictures, 1), 1, 2);

  CHECK(pixels[0] == Colour{255, 0, 102});
  CHECK(pixels[1] == Colour{0, 255, 255});
}

}  // namespace
}  // namespace epochcast::real::tests
