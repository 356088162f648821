// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <thread>

#include "tests/catch.hpp"
#include "tests/real/data/files.hpp"
#include "tests/real/data/images.hpp"
#include "tests/real/data/tiny_folder.hpp"

namespace epochcast::real::tests {
namespace {

TEST_CASE("image folders are classes in the order of their names, images in the order of theirs") {
  const DataSplit split = TinyFolder().open();

  REQUIRE(split.train->size() == 3);
  REQUIRE(split.test->size() == 2);
  CHECK(split.train->is_slow());
  CHECK(split.train->classes() == 2);
}

TEST_CASE("images of a folder are normalised by ImageNet's mean and deviation") {
  const TinyFolder files;
  const DataSplit split = files.open();
  constexpr std::size_t kPixels = kEdge * kEdge;

  const Sample red = sample_of(*split.train, 0);    // cat/a.png
  const Sample green = sample_of(*split.train, 1);  // cat/images/z.JPEG
  const Sample slope = sample_of(*split.train, 2);  // dog/b.png
  const Sample white = sample_of(*split.test, 1);   // val/dog/v.png

  CHECK(red.label == 0);
  CHECK(green.label == 0);
  CHECK(slope.label == 1);
  CHECK(white.label == 1);
  CHECK(sample_of(*split.test, 0).label == 0);
  for (const std::size_t i : {std::size_t{0}, std::size_t{37}, kPixels - 1}) {
    CHECK(red.values[i] == Approx((1 - 0.485) / 0.229));
    CHECK(red.values[kPixels + i] == Approx((0 - 0.456) / 0.224));
    CHECK(red.values[2 * kPixels + i] == Approx((0 - 0.406) / 0.225));
    CHECK(green.values[2 * kPixels + i] == Approx((0.2 - 0.406) / 0.225));
    CHECK(white.values[kPixels + i] == Approx((1 - 0.456) / 0.224));
  }
  const std::vector<PixelLevels> levels = split.train->pixel_levels();
  REQUIRE(levels.size() == 3);
  for (std::size_t channel = 0; channel < 3; ++channel) {
    CHECK(levels[channel].white == Approx(white.values[channel * kPixels]));
    CHECK(levels[channel].black == Approx(sample_of(*split.test, 0).values[channel * kPixels]));
  }
}

TEST_CASE("for one channel the colours of an image are averaged") {
  const TinyFolder files;
  const DataSplit split = files.open(tiny_dataset({1, kEdge, kEdge}, 2, 1000, 1000));

  const Sample green = sample_of(*split.train, 1);

  REQUIRE(green.values.size() == kEdge * kEdge);
  CHECK(green.values[5] == Approx((0.4 - 0.449) / 0.226));  // (0 + 255 + 51) / 3 / 255
}

TEST_CASE("without a variant an image is its centre, with one a random crop, often mirrored") {
  const TinyFolder files;
  const DataSplit split = files.open();

  const auto rise = [&](std::optional<std::uint64_t> variant) {
    const Sample sample = sample_of(*split.train, 2, variant);
    return sample.values[kEdge - 1] - sample.values[0];
  };

  // The centre is 28 of 32 pixels, 3.5 a pixel; the outer ones are 7 * 3.5 apart, 8 of 255 each.
  CHECK(rise(std::nullopt) == Approx(7 * 3.5 * 8 / 255 / 0.229).epsilon(0.05));
  std::set<float> rises;
  int mirrored = 0;
  for (std::uint64_t variant = 0; variant < 100; ++variant) {
    CHECK(sample_of(*split.train, 2, variant) == sample_of(*split.train, 2, variant));
    rises.insert(std::abs(rise(variant)));
    mirrored += rise(variant) < 0 ? 1 : 0;
  }
  CHECK(rises.size() > 10);
  CHECK((mirrored > 30 && mirrored < 70));
}

TEST_CASE("a data set that is resized is cropped at its scale, at any place in training") {
  // 32 pixels become 16, and 8 of them are half the slope: 2 * 8 of 255 a pixel, at any
  // position.
  const TinyFolder files;
  Dataset dataset = kTwoClasses;
  dataset.resize = 16;
  const DataSplit split = files.open(dataset);
  std::set<float> starts;
  int mirrored = 0;

  for (std::uint64_t variant = 0; variant < 100; ++variant) {
    const Sample sample = sample_of(*split.train, 2, variant);
    const float rise = sample.values[kEdge - 2] - sample.values[1];
    CHECK(std::abs(rise) == Approx(5 * 2 * 8 / 255.0 / 0.229));
    starts.insert(std::min(sample.values[1], sample.values[kEdge - 2]));
    mirrored += rise < 0 ? 1 : 0;
  }
  CHECK(starts.size() == 17);  // 0 to 32 - 16
  CHECK((mirrored > 30 && mirrored < 70));
  const Sample tested = sample_of(*split.train, 2);
  CHECK(tested.values[1] == Approx(((8 + 2 * 1 + 0.5) * 8 / 255 - 0.485) / 0.229));
}

TEST_CASE("two threads decode the images that one decodes, each with its own errors") {
  const TinyFolder files;
  files.write("val/cat/v.png", {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'});
  const DataSplit split = files.open();
  const auto load_all = [&] {
    std::vector<Sample> samples;
    for (std::uint64_t variant = 0; variant < 30; ++variant) {
      for (int i = 0; i < 3; ++i) samples.push_back(sample_of(*split.train, i, variant));
    }
    return samples;
  };
  const auto error = [&] {
    return run_error_of([&] { static_cast<void>(sample_of(*split.test, 0)); });
  };
  const std::vector<Sample> expected = load_all();
  const std::string expected_error = error();

  std::vector<Sample> samples;
  bool are_errors_equal = true;
  std::thread thread([&] { samples = load_all(); });
  for (int i = 0; i < 30; ++i) are_errors_equal &= error() == expected_error;
  thread.join();

  CHECK(samples == expected);
  CHECK(are_errors_equal);
  CHECK(expected_error.find("v.png: got an image that cannot be decoded (") != std::string::npos);
}

TEST_CASE("an image that cannot be decoded can be opened, but not loaded") {
  const TinyFolder files;
  files.write("train/dog/b.png", {'n', 'o'});
  const DataSplit split = files.open();

  CHECK(run_error_of([&] { static_cast<void>(sample_of(*split.train, 2)); }) ==
        files /
            "train/dog/b.png: got a file of 2 bytes that is no image; expected JPEG, PNG, "
            "WebP, BMP or GIF");
}

TEST_CASE("test images are in val, or in test if there is no val") {
  const TinyFolder files;
  std::filesystem::rename(files.path() / "val", files.path() / "test");

  CHECK(files.open().test->size() == 2);

  files.remove("test");
  CHECK(files.problems() == Texts{files.path().string() +
                                  ": got train, but neither val nor test; expected one of them"});
}

TEST_CASE("a number of folders other than that of classes is reported") {
  const TinyFolder files;

  CHECK(files.problems(tiny_dataset({3, kEdge, kEdge}, 3, 1000, 1000)) ==
        Texts{files / "train: got 2 folders; expected 3, one for each class of tiny"});
}

TEST_CASE("classes that only one half has are reported, the first ten by name") {
  const TinyFolder files;
  std::filesystem::rename(files.path() / "val/dog", files.path() / "val/fox");

  CHECK(files.problems() ==
        Texts{files / "val/dog: no such folder; expected one as in " + (files / "train"),
              files / "train/fox: no such folder; expected one as in " + (files / "val")});

  for (int i = 0; i < 12; ++i) files.write("val/x" + std::to_string(i) + "/a.png", {});
  const Texts problems = files.problems();
  REQUIRE(problems.size() == 11);
  CHECK(problems.back() ==
        files.path().string() + ": and 4 more folders that only one of train and val has");
}

TEST_CASE("classes without images are reported") {
  const TinyFolder files;
  files.remove("train/dog/b.png");
  files.remove("train/cat/a.png");
  files.remove("train/cat/images");

  CHECK(files.problems() ==
        Texts{files / "train/cat: got no images; expected files ending in .jpg, .jpeg, .png, "
                      ".webp, .bmp or .gif",
              files / "train/dog: got no images; expected files ending in .jpg, .jpeg, .png, "
                      ".webp, .bmp or .gif"});
}

TEST_CASE("a folder of images does not fit a data set of texts") {
  const TinyFolder files;

  CHECK(files.problems(tiny_dataset({128}, 2, 1000, 1000)) ==
        Texts{files.path().string() + ": got a folder of images; tiny has samples of 128"});
}

}  // namespace
}  // namespace epochcast::real::tests
