// SPDX-License-Identifier: Apache-2.0
#include "tests/catch.hpp"
#include "tests/real/data/files.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::real::tests {
namespace {

using epochcast::tests::problems_of;

const Dataset kTinyImages = tiny_dataset({3, 32, 32}, 10, 5, 1);

TEST_CASE("a folder of an unknown format is refused with the expected files") {
  const TemporaryFolder folder;
  write_file(folder.path() / "readme.txt", std::string("hello"));

  CHECK(problems_of([&] { static_cast<void>(open_data(kTinyImages, folder.path())); }) ==
        Texts{folder.path().string() +
              ": got none of the files of a known format; expected IDX (MNIST): "
              "train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte, "
              "t10k-labels-idx1-ubyte; or CIFAR-10 binary: data_batch_1.bin to data_batch_5.bin, "
              "test_batch.bin; or CIFAR-100 binary: train.bin, test.bin; or AG News: train.csv, "
              "test.csv; or image folders: train/CLASS/*.jpg, val/CLASS/*.jpg (or test/); or "
              "tensors: inputs.npy, targets.npy (or .pt; in train and val, or not); or tokens: "
              "train.bin, val.bin"});
}

TEST_CASE("a folder that does not exist, or is a file, is refused") {
  const TemporaryFolder folder;
  write_file(folder.path() / "file", std::string("hello"));

  CHECK(problems_of([&] { static_cast<void>(open_data(kTinyImages, folder / "none")); }) ==
        Texts{folder / "none: No such file or directory; expected the folder of Tiny"});
  CHECK(problems_of([&] { static_cast<void>(open_data(kTinyImages, folder / "file")); }) ==
        Texts{folder / "file: not a folder; expected the folder of Tiny"});
}

}  // namespace
}  // namespace epochcast::real::tests
