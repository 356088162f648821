// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/catch.hpp"
#include "tests/real/data/files.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::real::tests {
namespace {

using epochcast::tests::problems_of;

const std::string kTrainImages = "train-images-idx3-ubyte";
const std::string kTrainLabels = "train-labels-idx1-ubyte";
const std::string kTestImages = "t10k-images-idx3-ubyte";
const std::string kTestLabels = "t10k-labels-idx1-ubyte";

Bytes idx(std::uint8_t dimensions, const Bytes& sizes, const Bytes& elements) {
  Bytes bytes = {0, 0, 8, dimensions};
  for (const std::uint8_t size : sizes) bytes.insert(bytes.end(), {0, 0, 0, size});
  bytes.insert(bytes.end(), elements.begin(), elements.end());
  return bytes;
}

/// Two training images and a test image of 1 row and 2 columns.
class TinyMnist {
 public:
  TinyMnist() {
    write(kTrainImages, idx(3, {2, 1, 2}, {0, 10, 20, 30}));
    write(kTrainLabels, idx(1, {2}, {2, 0}));
    write(kTestImages, idx(3, {1, 1, 2}, {0, 255}));
    write(kTestLabels, idx(1, {1}, {1}));
  }

  void write(const std::string& file, const Bytes& bytes) const {
    write_file(folder_.path() / file, bytes);
  }
  [[nodiscard]] std::string operator/(const std::string& file) const { return folder_ / file; }
  [[nodiscard]] DataSplit open(const Dataset& dataset = tiny_dataset({1, 1, 2}, 3, 2, 1)) const {
    return open_data(dataset, folder_.path());
  }
  [[nodiscard]] Texts problems(const Dataset& dataset = tiny_dataset({1, 1, 2}, 3, 2, 1)) const {
    return problems_of([&] { static_cast<void>(open(dataset)); });
  }
  [[nodiscard]] std::string folder() const { return folder_.path().string(); }

 private:
  TemporaryFolder folder_;
};

TEST_CASE("IDX images are normalised by the training set's mean and deviation") {
  const DataSplit split = TinyMnist().open();

  // Training pixels 0, 10, 20, 30: mean 15, variance (225 + 25 + 25 + 225) / 4 = 125.
  const auto normalised = [](float byte) { return (byte - 15) / std::sqrt(125.0F); };
  REQUIRE(split.train->size() == 2);
  REQUIRE(split.test->size() == 1);
  const Sample first = sample_of(*split.train, 0);
  CHECK(first.values[0] == Approx(normalised(0)));
  CHECK(first.values[1] == Approx(normalised(10)));
  CHECK(first.label == 2);
  const Sample test = sample_of(*split.test, 0);
  CHECK(test.values[0] == Approx(normalised(0)));
  CHECK(test.values[1] == Approx(normalised(255)));
  CHECK(test.label == 1);
  const std::vector<PixelLevels> levels = split.test->pixel_levels();
  REQUIRE(levels.size() == 1);
  CHECK(levels[0].black == normalised(0));
  CHECK(levels[0].white == normalised(255));
}

TEST_CASE("IDX images are not augmented") {
  const DataSplit split = TinyMnist().open();

  for (std::uint64_t variant = 0; variant < 20; ++variant) {
    CHECK(sample_of(*split.train, 1, variant) == sample_of(*split.train, 1));
  }
}

TEST_CASE("a data set in memory has its shape, classes, speed and folder") {
  const TinyMnist files;
  const DataSplit split = files.open();

  CHECK(split.train->shape() == std::vector<std::int64_t>{1, 1, 2});
  CHECK(split.test->classes() == 3);
  CHECK_FALSE(split.train->is_slow());
  CHECK(split.title == "Tiny in " + files.folder());
}

TEST_CASE("a truncated IDX file is reported with its bytes") {
  const TinyMnist files;

  files.write(kTrainImages, idx(3, {2, 1, 2}, {0, 10, 20}));
  CHECK(files.problems() == Texts{files / kTrainImages + ": got 19 bytes; expected 20, for 2x1x2"});

  files.write(kTrainImages, {0, 0, 8, 3, 0});
  CHECK(files.problems() ==
        Texts{files / kTrainImages + ": got 5 bytes; expected 16 bytes of header"});
}

TEST_CASE("an IDX file with bytes after its end is refused") {
  const TinyMnist files;
  files.write(kTestLabels, idx(1, {1}, {1, 1}));

  CHECK(files.problems() == Texts{files / kTestLabels + ": got 10 bytes; expected 9, for 1"});
}

TEST_CASE("an IDX file of another magic number is refused, a compressed one is recognised") {
  const TinyMnist files;

  files.write(kTrainLabels, idx(3, {2}, {2, 0}));
  CHECK(files.problems() ==
        Texts{files / kTrainLabels + ": got magic number 0x00000803; expected 0x00000801"});

  files.write(kTrainLabels, {0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 0});
  CHECK(files.problems() ==
        Texts{files / kTrainLabels +
              ": got magic number 0x1f8b0808; expected 0x00000801 (the file is compressed)"});
}

TEST_CASE("IDX files of another number or size of samples than the data set's are refused") {
  const TinyMnist files;

  CHECK(files.problems(tiny_dataset({1, 1, 2}, 3, 60000, 1)) ==
        Texts{files / kTrainImages +
              ": got 2x1x2 bytes; expected 60000x1x2 (samples, rows, columns)"});
  CHECK(files.problems(tiny_dataset({1, 2, 1}, 3, 2, 1)) ==
        Texts{files / kTrainImages + ": got 2x1x2 bytes; expected 2x2x1 (samples, rows, columns)"});

  files.write(kTestLabels, idx(1, {2}, {1, 1}));
  CHECK(files.problems() == Texts{files / kTestLabels + ": got 2 bytes; expected 1 (samples)"});
}

TEST_CASE("an IDX label out of range is reported with its sample") {
  const TinyMnist files;
  files.write(kTrainLabels, idx(1, {2}, {2, 3}));

  CHECK(files.problems() ==
        Texts{files / kTrainLabels + ": sample 1: got label 3; expected 0 to 2"});
}

TEST_CASE("IDX files do not hold colour images") {
  const TinyMnist files;

  CHECK(files.problems(tiny_dataset({3, 1, 2}, 3, 2, 1)) ==
        Texts{files.folder() +
              ": got IDX files, which hold images of one channel; tiny has samples of 3x1x2"});
}

TEST_CASE("a missing file of a format is named") {
  const TinyMnist files;
  std::filesystem::remove(files / kTestLabels);

  CHECK(files.problems() ==
        Texts{files / kTestLabels + ": cannot be read: No such file or directory"});
}

TEST_CASE("a folder in place of a file is reported") {
  const TinyMnist files;
  std::filesystem::remove(files / kTestLabels);
  std::filesystem::create_directory(files / kTestLabels);

  CHECK(files.problems() == Texts{files / kTestLabels + ": is a folder; expected a file"});
}

}  // namespace
}  // namespace epochcast::real::tests
