// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gd.h>

#include <filesystem>
#include <string>

#include "tests/real/data/files.hpp"
#include "tests/real/data/images.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::real::tests {

/// Of the samples of `kTwoClasses`.
inline constexpr int kEdge = 8;

/// An image of 20 x 16 pixels, all of one colour.
[[nodiscard]] inline Bytes plain_png(int red, int green, int blue) {
  return Painting(20, 16, [&](int, int) { return gdTrueColor(red, green, blue); })
      .encoded(Encoding::png);
}

/// An image of 32 x 32 pixels, brighter to the right, in red only.
[[nodiscard]] inline Bytes slope_png() {
  return Painting(32, 32, [](int x, int) { return gdTrueColor(8 * x, 0, 0); })
      .encoded(Encoding::png);
}

inline const Dataset kTwoClasses = tiny_dataset({3, kEdge, kEdge}, 2, 1000, 1000);

/// Three training images of two classes, one of them in a folder within, and a test image of each.
class TinyFolder {
 public:
  TinyFolder() {
    write("train/dog/b.png", slope_png());
    write("train/cat/images/z.JPEG", plain_png(0, 255, 51));
    write("train/cat/a.png", plain_png(255, 0, 0));
    write("train/cat/readme.txt", {'h', 'i'});
    write("val/cat/v.png", plain_png(0, 0, 0));
    write("val/dog/v.png", plain_png(255, 255, 255));
  }

  void write(const std::string& file, const Bytes& bytes) const {
    write_file(folder_.path() / file, bytes);
  }
  void remove(const std::string& file) const { std::filesystem::remove_all(folder_.path() / file); }
  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
  [[nodiscard]] std::string operator/(const std::string& file) const { return folder_ / file; }
  [[nodiscard]] DataSplit open(const Dataset& dataset = kTwoClasses) const {
    return open_data(dataset, folder_.path());
  }
  [[nodiscard]] Texts problems(const Dataset& dataset = kTwoClasses) const {
    return epochcast::tests::problems_of([&] { static_cast<void>(open(dataset)); });
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace epochcast::real::tests
