// SPDX-License-Identifier: Apache-2.0
#include "real/data/image_file.hpp"

#include <gd.h>

#include <set>

#include "real/data/image_crop.hpp"
#include "real/data/resample.hpp"
#include "tests/catch.hpp"
#include "tests/real/data/files.hpp"
#include "tests/real/data/images.hpp"

namespace epochcast::real::tests {
namespace {

/// Checks that a JPEG, WebP, ... of a colour is decoded to that colour, within 6 of 255.
void check_colour(const Colour& pixel, const Colour& expected) {
  for (std::size_t c = 0; c < 3; ++c) CHECK(std::abs(pixel[c] - expected[c]) <= 6);
}

TEST_CASE("images of each format are decoded by their bytes, for any file name") {
  const TemporaryFolder folder;
  const Painting red(6, 4, [](int, int) { return gdTrueColor(200, 30, 60); });

  for (const Encoding encoding :
       {Encoding::jpeg, Encoding::png, Encoding::webp, Encoding::bmp, Encoding::gif}) {
    write_file(folder.path() / "image.JPEG", red.encoded(encoding));

    const ImageFile image(folder.path() / "image.JPEG");

    CHECK(image.width() == 6);
    CHECK(image.height() == 4);
    check_colour(image.scaled({0, 0, 6, 4}, 6, 4)[7], {200, 30, 60});
  }
}

TEST_CASE("a part at its own size is cut out exactly, row by row") {
  const TemporaryFolder folder;
  const Painting painting(8, 8, [](int x, int y) { return gdTrueColor(10 * x, 10 * y, 5); });
  write_file(folder.path() / "a.png", painting.encoded(Encoding::png));

  const auto pixels = ImageFile(folder.path() / "a.png").scaled({3, 1, 2, 3}, 2, 3);

  CHECK(pixels ==
        std::vector<Colour>{
            {30, 10, 5}, {40, 10, 5}, {30, 20, 5}, {40, 20, 5}, {30, 30, 5}, {40, 30, 5}});
}

TEST_CASE("shrinking averages all pixels: fine stripes become grey, not black or white") {
  const TemporaryFolder folder;
  const Painting stripes(
      64, 64, [](int x, int) { return x % 2 == 0 ? gdTrueColor(255, 255, 255) : 0; });
  write_file(folder.path() / "a.png", stripes.encoded(Encoding::png));

  const auto pixels = ImageFile(folder.path() / "a.png").scaled({0, 0, 64, 64}, 8, 8);

  // A triangle over 16 pixels is symmetric: white and black have equal weights. At the left edge 12
  // pixels are left, 1/16 (1 3 5 7 9 11 13 15 15 13 ...), beginning with a white one.
  REQUIRE(pixels.size() == 64);
  for (std::size_t i = 0; i < 64; ++i) {
    if (i % 8 != 0 && i % 8 != 7) CHECK(pixels[i][0] == Approx(127.5));
  }
  const double white = 9 + 13 + 15 + 11 + 7 + 3;
  const double black = 11 + 15 + 13 + 9 + 5 + 1;
  CHECK(pixels[0][0] == Approx(255 * white / (white + black)));
}

TEST_CASE("enlarging interpolates between pixel centres") {
  const TemporaryFolder folder;
  const Painting step(2, 1, [](int x, int) { return x == 0 ? 0 : gdTrueColor(200, 200, 200); });
  write_file(folder.path() / "a.png", step.encoded(Encoding::png));

  const auto pixels = ImageFile(folder.path() / "a.png").scaled({0, 0, 2, 1}, 4, 1);

  // Centres are at 1/4, 3/4, 5/4, 7/4 of an input pixel; those of the input at 1/2 and 3/2.
  CHECK(pixels == std::vector<Colour>{{0, 0, 0}, {50, 50, 50}, {150, 150, 150}, {200, 200, 200}});
}

TEST_CASE("a mirrored image scales to the mirrored result, both ways") {
  for (const int output : {3, 7, 19, 40}) {
    const std::vector<Taps> taps = triangle_taps(19, output);

    for (std::size_t i = 0; i < taps.size(); ++i) {
      const Taps& other = taps[taps.size() - 1 - i];
      const auto number = static_cast<std::int64_t>(taps[i].weights.size());
      REQUIRE(other.weights.size() == taps[i].weights.size());
      CHECK(taps[i].first + number + other.first == 19);
      for (std::size_t k = 0; k < taps[i].weights.size(); ++k) {
        CHECK(taps[i].weights[k] ==
              Approx(other.weights[other.weights.size() - 1 - k]).margin(1e-6));
      }
    }
  }
}

TEST_CASE("a JPEG with stray bytes between its parts is accepted, as elsewhere") {
  const TemporaryFolder folder;
  const Painting red(16, 16, [](int, int) { return gdTrueColor(200, 30, 60); });
  Bytes bytes = red.encoded(Encoding::jpeg);
  bytes.insert(bytes.end() - 2, {0x12, 0x34});  // before the end marker: libjpeg warns
  write_file(folder.path() / "a.jpg", bytes);

  check_colour(ImageFile(folder.path() / "a.jpg").scaled({0, 0, 16, 16}, 16, 16)[99],
               {200, 30, 60});
}

TEST_CASE("a file that is no image is refused with the expected formats") {
  const TemporaryFolder folder;
  write_file(folder.path() / "a.jpg", std::string("hello"));

  CHECK(run_error_of([&] { ImageFile(folder.path() / "a.jpg"); }) ==
        folder /
            "a.jpg: got a file of 5 bytes that is no image; expected JPEG, PNG, WebP, BMP or "
            "GIF");
}

TEST_CASE("a missing image is reported") {
  const TemporaryFolder folder;

  CHECK(run_error_of([&] { ImageFile(folder.path() / "a.jpg"); }) ==
        folder / "a.jpg: cannot be read: No such file or directory");
}

TEST_CASE("a truncated JPEG is refused, though libjpeg would fill in the rest") {
  const TemporaryFolder folder;
  const Painting painting(64, 64, [](int x, int y) { return x * 1000 + y * 77777; });
  Bytes bytes = painting.encoded(Encoding::jpeg);
  bytes.resize(bytes.size() / 2);
  write_file(folder.path() / "a.jpg", bytes);

  CHECK(run_error_of([&] { ImageFile(folder.path() / "a.jpg"); }) ==
        folder /
            "a.jpg: got an image that cannot be decoded (gd-jpeg, libjpeg: recoverable error: "
            "Premature end of JPEG file); expected a complete one");
}

TEST_CASE("a truncated PNG is refused with libpng's reason") {
  const TemporaryFolder folder;
  const Painting painting(64, 64, [](int x, int y) { return x * 1000 + y * 77777; });
  Bytes bytes = painting.encoded(Encoding::png);
  bytes.resize(bytes.size() / 2);
  write_file(folder.path() / "a.png", bytes);

  CHECK(run_error_of([&] { ImageFile(folder.path() / "a.png"); }) ==
        folder /
            "a.png: got an image that cannot be decoded (gd-png: fatal libpng error: Read "
            "Error: truncated data); expected a complete one");
}

TEST_CASE("the centre crop of an image is the middle 224/256 of its shorter side") {
  const Rectangle wide = centre_crop(500, 256, {.width = 224, .height = 224});
  const Rectangle high = centre_crop(256, 300, {.width = 224, .height = 224});

  CHECK(wide.width == 224);
  CHECK(wide.height == 224);
  CHECK(wide.left == 138);
  CHECK(wide.top == 16);
  CHECK(high.left == 16);
  CHECK(high.top == 38);
}

TEST_CASE("the centre crop has the wanted ratio and lies inside, down to one pixel") {
  const Rectangle half = centre_crop(1024, 1024, {.width = 448, .height = 224});
  CHECK(half.width == 896);
  CHECK(half.height == 448);

  const Rectangle pixel = centre_crop(1, 1, {.width = 224, .height = 224});
  CHECK(pixel.width == 1);
  CHECK(pixel.height == 1);
  CHECK(pixel.left == 0);
  CHECK(pixel.top == 0);
}

TEST_CASE("crops of resized images keep the scale, in training at any position") {
  // Short sides of 512 become 256: 224 pixels are 448 stored ones.
  const CropSize size = {.width = 224, .height = 224, .resized = 256};
  const Rectangle middle = centre_crop(640, 512, size);
  CHECK(middle.width == 448);
  CHECK(middle.height == 448);
  CHECK(middle.left == 96);
  CHECK(middle.top == 32);
  CHECK(centre_crop(640, 512, {.width = 224, .height = 224, .resized = 448}).width == 256);

  Random random(1);
  std::set<std::int64_t> lefts;
  std::set<std::int64_t> tops;
  for (int i = 0; i < 4000; ++i) {
    const Rectangle part = draw_place(640, 512, size, random);
    CHECK((part.width == 448 && part.height == 448));
    lefts.insert(part.left);
    tops.insert(part.top);
  }
  CHECK((lefts.size() == 193 && *lefts.begin() == 0));  // 0 to 640 - 448
  CHECK((tops.size() == 65 && *tops.begin() == 0));     // 0 to 512 - 448
}

TEST_CASE("random crops take 8 to 100 % of the image at ratios from 3/4 to 4/3, anywhere") {
  constexpr int kWidth = 400;
  constexpr int kHeight = 300;
  double smallest = 1;
  double largest = 0;
  std::int64_t leftmost = kWidth;
  std::int64_t rightmost = 0;
  Random random(1);

  for (int i = 0; i < 2000; ++i) {
    const Rectangle part = draw_crop(kWidth, kHeight, random);

    const double share = static_cast<double>(part.width * part.height) / (kWidth * kHeight);
    const double ratio = static_cast<double>(part.width) / static_cast<double>(part.height);
    CHECK((part.left >= 0 && part.left + part.width <= kWidth));
    CHECK((part.top >= 0 && part.top + part.height <= kHeight));
    CHECK((ratio > 0.73 && ratio < 1.36));  // sides are whole pixels, at least 85
    smallest = std::min(smallest, share);
    largest = std::max(largest, share);
    leftmost = std::min(leftmost, part.left);
    rightmost = std::max(rightmost, part.left + part.width);
  }
  CHECK((smallest > 0.078 && smallest < 0.1));
  CHECK((largest > 0.9 && largest <= 1));
  CHECK(leftmost == 0);
  CHECK(rightmost == kWidth);
}

TEST_CASE("if no random crop fits, the crop is the middle at the nearest allowed ratio") {
  Random random(1);

  const Rectangle part = draw_crop(1000, 3, random);

  CHECK(part.width == 4);
  CHECK(part.height == 3);
  CHECK(part.left == 498);
  CHECK(part.top == 0);
}

}  // namespace
}  // namespace epochcast::real::tests
