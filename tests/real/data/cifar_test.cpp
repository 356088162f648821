// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <set>
#include <thread>

#include "real/data/crop_flip.hpp"
#include "tests/catch.hpp"
#include "tests/real/data/files.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::real::tests {
namespace {

using epochcast::tests::problems_of;

constexpr int kSide = 32;
constexpr int kPlane = kSide * kSide;

/// Labels, then an image whose red is the row, green the column times 2, and blue `blue`.
Bytes record(const Bytes& labels, std::uint8_t blue) {
  Bytes bytes = labels;
  for (int i = 0; i < kPlane; ++i) bytes.push_back(static_cast<std::uint8_t>(i / kSide));
  for (int i = 0; i < kPlane; ++i) bytes.push_back(static_cast<std::uint8_t>(i % kSide * 2));
  bytes.insert(bytes.end(), kPlane, blue);
  return bytes;
}

std::string batch_file(int number) { return "data_batch_" + std::to_string(number) + ".bin"; }

const Dataset kTiny10 = tiny_dataset({3, 32, 32}, 10, 5, 1);
const Dataset kTiny100 = tiny_dataset({3, 32, 32}, 100, 2, 1);

/// One image in each file; blue is ten times the batch's number, 255 in the test.
class TinyCifar10 {
 public:
  TinyCifar10() {
    for (int i = 1; i <= 5; ++i) {
      const auto number = static_cast<std::uint8_t>(i);
      write(batch_file(i), record({number}, static_cast<std::uint8_t>(10 * i)));
    }
    write("test_batch.bin", record({9}, 255));
  }

  void write(const std::string& file, const Bytes& bytes) const {
    write_file(folder_.path() / file, bytes);
  }
  [[nodiscard]] std::string operator/(const std::string& file) const { return folder_ / file; }
  [[nodiscard]] DataSplit open(const Dataset& dataset = kTiny10) const {
    return open_data(dataset, folder_.path());
  }
  [[nodiscard]] Texts problems(const Dataset& dataset = kTiny10) const {
    return problems_of([&] { static_cast<void>(open(dataset)); });
  }

 private:
  TemporaryFolder folder_;
};

// Over rows 0 to 31: mean 31/2, variance (32^2 - 1) / 12.
const float kRowDeviation = std::sqrt(1023.0F / 12);
float red(int row) { return (static_cast<float>(row) - 15.5F) / kRowDeviation; }
float green(int column) { return (static_cast<float>(column) - 15.5F) / kRowDeviation; }
// Blue is 10, 20, 30, 40, 50: mean 30, variance 200.
float blue(int value) { return (static_cast<float>(value) - 30) / std::sqrt(200.0F); }

TEST_CASE("CIFAR-10 batches follow each other, each channel normalised for itself") {
  const DataSplit split = TinyCifar10().open();

  REQUIRE(split.train->size() == 5);
  for (int i = 0; i < 5; ++i) {
    const Sample sample = sample_of(*split.train, i);
    CHECK(sample.label == i + 1);
    CHECK(sample.values[3 * kSide + 7] == Approx(red(3)));
    CHECK(sample.values[kPlane + 3 * kSide + 7] == Approx(green(7)));
    CHECK(sample.values[2 * kPlane] == Approx(blue(10 * (i + 1))).margin(1e-6));
  }
}

TEST_CASE("CIFAR's test images are normalised by the training set") {
  const DataSplit split = TinyCifar10().open();

  const Sample sample = sample_of(*split.test, 0);

  CHECK(sample.label == 9);
  CHECK(sample.values[2 * kPlane] == Approx(blue(255)));
}

TEST_CASE("a channel that never changes is centred and stays finite") {
  const TemporaryFolder folder;
  Bytes train = record({0, 5}, 77);
  const Bytes second = record({19, 99}, 77);
  train.insert(train.end(), second.begin(), second.end());
  write_file(folder.path() / "train.bin", train);
  write_file(folder.path() / "test.bin", record({3, 0}, 78));

  const DataSplit split = open_data(kTiny100, folder.path());

  CHECK(sample_of(*split.train, 1).values[2 * kPlane] == 0);
  CHECK(sample_of(*split.test, 0).values[2 * kPlane] == 1);
}

TEST_CASE("CIFAR-100's class is the fine label") {
  const TemporaryFolder folder;
  Bytes train = record({200, 5}, 1);
  const Bytes second = record({0, 99}, 3);
  train.insert(train.end(), second.begin(), second.end());
  write_file(folder.path() / "train.bin", train);
  write_file(folder.path() / "test.bin", record({3, 42}, 2));

  const DataSplit split = open_data(kTiny100, folder.path());

  CHECK(sample_of(*split.train, 0).label == 5);
  CHECK(sample_of(*split.train, 1).label == 99);
  CHECK(sample_of(*split.test, 0).label == 42);
  CHECK(sample_of(*split.train, 1).values[2 * kPlane] == Approx(1));  // blue 1 and 3
}

TEST_CASE("a variant moves a CIFAR image by up to 4 pixels into a black border, and mirrors it") {
  const DataSplit split = TinyCifar10().open();
  std::set<std::int64_t> row_shifts;
  std::set<std::int64_t> column_shifts;
  std::set<bool> flips;

  for (std::uint64_t variant = 0; variant < 200; ++variant) {
    const CropFlip move = draw_crop_flip(variant, 2);
    const Sample sample = sample_of(*split.train, 2, variant);

    bool is_as_expected = true;
    for (int i = 0; i < kPlane; ++i) {
      const int row = i / kSide + static_cast<int>(move.row_shift);
      const int shifted = i % kSide + static_cast<int>(move.column_shift);
      const int column = move.is_flipped ? kSide - 1 - shifted : shifted;
      const bool is_inside = row >= 0 && row < kSide && column >= 0 && column < kSide;
      const auto at = static_cast<std::size_t>(i);
      is_as_expected &= sample.values[at] == Approx(red(is_inside ? row : 0));
      is_as_expected &= sample.values[kPlane + at] == Approx(green(is_inside ? column : 0));
      is_as_expected &=
          sample.values[2 * kPlane + at] == Approx(blue(is_inside ? 30 : 0)).margin(1e-6);
    }
    CHECK(is_as_expected);
    CHECK(sample.label == 3);
    row_shifts.insert(move.row_shift);
    column_shifts.insert(move.column_shift);
    flips.insert(move.is_flipped);
  }
  const std::set<std::int64_t> all = {-4, -3, -2, -1, 0, 1, 2, 3, 4};
  CHECK(row_shifts == all);
  CHECK(column_shifts == all);
  CHECK(flips == std::set<bool>{false, true});
}

TEST_CASE("one variant moves different samples differently, but each the same every time") {
  const DataSplit split = TinyCifar10().open();

  std::set<Floats> images;
  for (int i = 0; i < 5; ++i) {
    CHECK(sample_of(*split.train, i, 11) == sample_of(*split.train, i, 11));
    Floats reds = sample_of(*split.train, i, 11).values;
    reds.resize(2 * kPlane);  // red and green are those of every image
    images.insert(reds);
  }
  CHECK(images.size() >= 4);  // two of five of 162 shifts are equal in 6 % of cases
}

TEST_CASE("two threads load the samples that one loads") {
  const DataSplit split = TinyCifar10().open();
  const auto load_all = [&] {
    std::vector<Sample> samples;
    for (std::uint64_t variant = 0; variant < 50; ++variant) {
      for (int i = 0; i < 5; ++i) samples.push_back(sample_of(*split.train, i, variant));
    }
    return samples;
  };
  const std::vector<Sample> expected = load_all();

  std::vector<Sample> first;
  std::vector<Sample> second;
  std::thread thread([&] { first = load_all(); });
  second = load_all();
  thread.join();

  CHECK(first == expected);
  CHECK(second == expected);
}

TEST_CASE("all CIFAR files that are truncated or missing are reported at once") {
  const TinyCifar10 files;
  Bytes truncated = record({2}, 20);
  truncated.pop_back();
  files.write(batch_file(2), truncated);
  std::filesystem::remove(files / batch_file(4));

  CHECK(
      files.problems() ==
      Texts{files / batch_file(2) + ": got 3072 bytes; expected 3073, for 1 samples of 3073 bytes",
            files / batch_file(4) + ": cannot be read: No such file or directory"});
}

TEST_CASE("a CIFAR file with more samples than the data set's is refused") {
  const TinyCifar10 files;

  CHECK(
      files.problems(tiny_dataset({3, 32, 32}, 10, 5, 2)) ==
      Texts{files / "test_batch.bin: got 3073 bytes; expected 6146, for 2 samples of 3073 bytes"});
}

TEST_CASE("a CIFAR label out of range is reported with its sample") {
  const TinyCifar10 files;
  files.write("test_batch.bin", record({10}, 0));

  CHECK(files.problems() ==
        Texts{files / "test_batch.bin: sample 0: got label 10; expected 0 to 9"});
}

TEST_CASE("CIFAR files do not fit a data set of another shape") {
  const TinyCifar10 files;

  CHECK(files.problems(tiny_dataset({1, 64, 64}, 10, 5, 1)) ==
        Texts{std::filesystem::path(files / "x").parent_path().string() +
              ": got the files of CIFAR-10, whose samples are 3x32x32; expected a data set of such "
              "images or of resized ones (3 x rows x columns); tiny has samples of 1x64x64"});
}

TEST_CASE("CIFAR images are resized for a data set of another size") {
  constexpr int kSize = 224;
  constexpr int kScale = kSize / kSide;
  const TinyCifar10 files;
  const DataSplit split = files.open(tiny_dataset({3, kSize, kSize}, 10, 5, 1));

  CHECK(split.train->shape() == std::vector<std::int64_t>{3, kSize, kSize});
  const Sample sample = sample_of(*split.train, 1);

  CHECK(sample.label == 2);
  REQUIRE(sample.values.size() == 3 * kSize * kSize);
  // Red grows by one a row: between the borders, linear interpolation keeps that.
  for (const int row : {10, 100, 200}) {
    const float stored = (static_cast<float>(row) + 0.5F) / kScale - 0.5F;
    CHECK(sample.values[static_cast<std::size_t>(row * kSize + 7)] ==
          Approx((stored - 15.5F) / kRowDeviation).margin(1e-5));
  }
  CHECK(sample.values[2 * kSize * kSize + 5] == Approx(blue(20)).margin(1e-5));
  CHECK(sample_of(*split.test, 0).label == 9);
}

TEST_CASE("CIFAR images are augmented before they are resized") {
  const TinyCifar10 files;
  const DataSplit stored = files.open();
  const DataSplit resized = files.open(tiny_dataset({3, 96, 96}, 10, 5, 1));

  for (const std::uint64_t variant : {1, 2, 3}) {
    const Sample small = sample_of(*stored.train, 4, variant);
    const Sample large = sample_of(*resized.train, 4, variant);
    // Three times as large: the middle of three pixels is the stored one.
    for (const int row : {0, 15, 31}) {
      for (const int column : {0, 20, 31})
        CHECK(large.values[static_cast<std::size_t>((3 * row + 1) * 96 + 3 * column + 1)] ==
              Approx(small.values[static_cast<std::size_t>(row * kSide + column)]).margin(1e-5));
    }
  }
}

}  // namespace
}  // namespace epochcast::real::tests
