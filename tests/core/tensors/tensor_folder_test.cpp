// SPDX-License-Identifier: Apache-2.0
#include "core/tensors/tensor_folder.hpp"

#include <numeric>

#include "base/files/text_file.hpp"
#include "core/tensors/own_data.hpp"
#include "tests/catch.hpp"
#include "tests/core/tensors/read_back.hpp"
#include "tests/core/tensors/tensor_files.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

using Labels = std::vector<std::int64_t>;

Floats counted(std::size_t count, float first = 0) {
  Floats numbers(count);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

Texts problems_in(const DataFolder& folder) {
  return problems_of([&] { static_cast<void>(open_tensor_folder(folder.path())); });
}

/// Three samples of two numbers, and their targets.
void write_three(const DataFolder& folder, const std::string& targets) {
  folder.write("inputs.npy", npy("<f4", "(3, 2)", counted(6)));
  folder.write("targets.npy", targets);
}

TEST_CASE("integer targets are classes, one more than the largest label") {
  const DataFolder folder;
  folder.write("train/inputs.npy", npy("<f4", "(3, 2)", counted(6)));
  folder.write("train/targets.npy", npy<std::uint8_t>("|u1", "(3,)", {0, 6, 1}));
  folder.write("val/inputs.npy", npy("<f4", "(1, 2)", counted(2, 50)));
  folder.write("val/targets.npy", npy<std::uint8_t>("|u1", "(1, 1)", {8}));

  const OwnData data = open_tensor_folder(folder.path());

  CHECK(data.dataset.shape == Shape{2});
  CHECK_FALSE(data.dataset.are_tokens);
  CHECK(data.dataset.classes == 9);
  CHECK(data.dataset.targets.kind == TargetKind::classes);
  CHECK(data.dataset.train_samples == 3);
  CHECK(data.dataset.test_samples == 1);
  CHECK(data.dataset.sample_bytes == 8);
  CHECK(data.dataset.title == "tensors in " + folder.path().string());
  CHECK(inputs_of(*data.train, 2, 2) == Floats{4, 5});
  CHECK(data.train->label(1) == 6);
  CHECK(inputs_of(*data.test, 0, 2) == Floats{50, 51});
  CHECK(data.test->label(0) == 8);
}

TEST_CASE("floating-point targets are values of their own shape") {
  const DataFolder folder;
  write_three(folder, npy<double>("<f8", "(3, 2, 1)", {0.5, 1, 2, 3, 4, 5}));
  const OwnData many = open_tensor_folder(folder.path());
  CHECK(many.dataset.targets.kind == TargetKind::values);
  CHECK(many.dataset.targets.shape == Shape{2, 1});
  CHECK(many.dataset.classes == 2);
  CHECK(targets_of(*many.train, 1, 2) == Floats{2, 3});
  CHECK(many.train->label(1) == 0);

  write_three(folder, npy<float>("<f4", "(3,)", {-1, 0, 1}));
  const OwnData one = open_tensor_folder(folder.path());
  CHECK(one.dataset.targets.shape == Shape{1});
  CHECK(one.dataset.classes == 1);
  CHECK(targets_of(*one.train, 0, 1) == Floats{-1});
}

TEST_CASE("rows of integers are tokens; their targets are classes or tokens") {
  const DataFolder folder;
  folder.write("inputs.npy", npy<std::int32_t>("<i4", "(2, 3)", {1, 2, 3, 4, 5, 30}));
  folder.write("targets.npy", npy<std::int64_t>("<i8", "(2,)", {0, 3}));
  const OwnData labelled = open_tensor_folder(folder.path());
  CHECK(labelled.dataset.are_tokens);
  CHECK(labelled.dataset.shape == Shape{3});
  CHECK(labelled.dataset.classes == 4);

  folder.write("targets.npy", npy<std::int64_t>("<i8", "(2, 3)", {2, 3, 4, 5, 30, 40}));
  const OwnData shifted = open_tensor_folder(folder.path());
  CHECK(shifted.dataset.targets.kind == TargetKind::tokens);
  CHECK(shifted.dataset.targets.shape == Shape{3});
  CHECK(shifted.dataset.classes == 41);
  CHECK(targets_of(*shifted.test, 0, 3) == Floats{5, 30, 40});
}

TEST_CASE("bytes, and integers in other shapes, are numbers") {
  const DataFolder folder;
  const Labels labels = {0, 1};
  folder.write("targets.npy", npy("<i8", "(2,)", labels));
  folder.write("inputs.npy", npy<std::uint8_t>("|u1", "(2, 3)", {0, 127, 255, 1, 2, 3}));
  const OwnData bytes = open_tensor_folder(folder.path());
  CHECK_FALSE(bytes.dataset.are_tokens);
  CHECK(inputs_of(*bytes.train, 0, 3) == Floats{0, 127, 255});

  folder.write("inputs.npy", npy<std::int16_t>("<i2", "(2, 1, 2)", {-1, 2, 3, 4}));
  CHECK_FALSE(open_tensor_folder(folder.path()).dataset.are_tokens);
  folder.write("inputs.npy", npy<std::int16_t>("<i2", "(2,)", {-1, 2}));
  const OwnData single = open_tensor_folder(folder.path());
  CHECK_FALSE(single.dataset.are_tokens);
  CHECK(single.dataset.shape == Shape{1});
}

TEST_CASE("without a folder for tests, the last tenth of the samples is for tests") {
  const DataFolder folder;
  folder.write("inputs.npy", npy("<f4", "(25, 1)", counted(25)));
  folder.write("targets.npy", npy("<f4", "(25,)", counted(25)));

  const OwnData data = open_tensor_folder(folder.path());

  CHECK(data.train->size() == 23);
  CHECK(data.test->size() == 2);
  CHECK(inputs_of(*data.train, 22, 1) == Floats{22});
  CHECK(inputs_of(*data.test, 0, 1) == Floats{23});
  CHECK(targets_of(*data.test, 1, 1) == Floats{24});
  CHECK(data.dataset.title ==
        "tensors, the last tenth of which is for tests, in " + folder.path().string());
}

TEST_CASE("shards follow each other by name, NumPy's and PyTorch's together") {
  const DataFolder folder;
  folder.write("train/inputs-002.npy", npy("<f4", "(1, 3)", counted(3, 100)));
  folder.write("train/targets-002.npy", npy<std::int64_t>("<i8", "(1,)", {2}));
  folder.write("train/inputs-001.pt",
               read_text_file(EPOCHCAST_SOURCE_DIR "/tests/core/tensors/data/plain.pt"));
  folder.write("train/targets-001.npy", npy<std::int64_t>("<i8", "(4,)", {5, 6, 7, 8}));
  folder.write("test/inputs.npy", npy("<f4", "(1, 3)", counted(3)));
  folder.write("test/targets.npy", npy<std::int64_t>("<i8", "(1,)", {0}));

  const OwnData data = open_tensor_folder(folder.path());

  CHECK(data.train->size() == 5);
  CHECK(inputs_of(*data.train, 3, 3) == Floats{9, 10, 11});
  CHECK(data.train->label(3) == 8);
  CHECK(inputs_of(*data.train, 4, 3) == Floats{100, 101, 102});
  CHECK(data.train->label(4) == 2);
  CHECK(data.dataset.classes == 9);
}

TEST_CASE("all shards that differ from the first one are reported at once") {
  const DataFolder folder;
  folder.write("train/inputs-1.npy", npy("<f4", "(2, 2)", counted(4)));
  folder.write("train/targets-1.npy", npy<std::int64_t>("<i8", "(2,)", {0, 1}));
  folder.write("train/inputs-2.npy", npy("<f4", "(2, 3)", counted(6)));
  folder.write("train/targets-2.npy", npy<std::int64_t>("<i8", "(2,)", {0, 1}));
  folder.write("val/inputs.npy", npy<double>("<f8", "(1, 2)", {1, 2}));
  folder.write("val/targets.npy", npy<std::int64_t>("<i8", "(1,)", {0}));
  const std::string as_first =
      "; expected samples as in " + (folder / "train/inputs-1.npy") + ", which is 2x2 of float32";

  CHECK(problems_in(folder) == Texts{folder / "train/inputs-2.npy: is 2x3 of float32" + as_first,
                                     folder / "val/inputs.npy: is 1x2 of float64" + as_first});
}

TEST_CASE("inputs without targets of the same length are reported") {
  const DataFolder folder;
  folder.write("inputs-1.npy", npy("<f4", "(2, 2)", counted(4)));
  folder.write("targets-1.npy", npy<std::int64_t>("<i8", "(3,)", {0, 1, 2}));
  folder.write("inputs-2.npy", npy("<f4", "(2, 2)", counted(4)));
  folder.write("targets-3.npy", npy<std::int64_t>("<i8", "(2,)", {0, 1}));

  CHECK(problems_in(folder) ==
        Texts{folder / "targets-1.npy: is 3 of int64; expected 2 samples, as " +
                  (folder / "inputs-1.npy") + " has",
              folder / "inputs-2.npy: has no targets; expected targets-2.npy (or .pt) beside it",
              folder / "targets-3.npy: has no inputs; expected inputs-3.npy (or .pt) beside it"});
}

TEST_CASE("labels below 0 are reported with the first such sample") {
  const DataFolder folder;
  write_three(folder, npy<std::int64_t>("<i8", "(3,)", {0, -100, -1}));

  CHECK(problems_in(folder) ==
        Texts{folder / "targets.npy: sample 1: got label -100; expected 0 and more"});

  folder.write("inputs.npy", npy<std::int64_t>("<i8", "(3, 2)", {0, 1, 2, 3, 4, -5}));
  folder.write("targets.npy", npy<std::int64_t>("<i8", "(3,)", {0, 1, 2}));
  CHECK(problems_in(folder) ==
        Texts{folder / "inputs.npy: sample 2: got token -5; expected 0 and more"});
}

TEST_CASE("targets that nothing can be learned from, and empty tensors, are refused") {
  const DataFolder folder;
  write_three(folder, npy<std::int64_t>("<i8", "(3, 2)", {0, 1, 2, 3, 4, 5}));
  CHECK(problems_in(folder) ==
        Texts{folder / "targets.npy: is 3x2 of int64; expected a class for each sample [3], a "
                       "token for each of its own, or values of a floating-point type"});
  write_three(folder, npy<std::int64_t>("<i8", "(0,)", {}));
  CHECK(problems_in(folder) == Texts{folder / "targets.npy: is 0 of int64; expected samples"});
  write_three(folder, npy<std::int64_t>("<i8", "()", {1}));
  CHECK(problems_in(folder) ==
        Texts{folder / "targets.npy: is a single number of int64; expected samples"});
  write_three(folder, npy<std::int64_t>("<i8", "(3,)", {0, 1, std::int64_t{1} << 40}));
  CHECK(problems_in(folder) ==
        Texts{folder / "targets.npy: has the label 1099511627776; expected less than 2^24"});
}

TEST_CASE("a folder that lacks its tests, or has two files for one tensor, is refused") {
  const DataFolder folder;
  folder.write("train/inputs.npy", npy("<f4", "(1, 2)", counted(2)));
  folder.write("train/targets.npy", npy<std::int64_t>("<i8", "(1,)", {0}));
  CHECK(problems_in(folder) ==
        Texts{folder.path().string() +
              ": got train, but neither val nor test; expected one of them"});

  folder.write("train/inputs.pt", "x");
  CHECK(problems_in(folder) ==
        Texts{folder / "train: has inputs.npy and inputs.pt; expected one of them"});

  const DataFolder both;
  write_three(both, npy<std::int64_t>("<i8", "(3,)", {0, 1, 2}));
  both.write("train/inputs.npy", npy("<f4", "(1, 2)", counted(2)));
  CHECK(problems_in(both) ==
        Texts{both.path().string() +
              ": has inputs, and a folder train with inputs; expected one of them"});

  const DataFolder single;
  single.write("inputs.npy", npy("<f4", "(1, 2)", counted(2)));
  single.write("targets.npy", npy<std::int64_t>("<i8", "(1,)", {0}));
  CHECK(problems_in(single) ==
        Texts{single.path().string() +
              ": has a single sample; expected one to train on, and one for tests"});
}

TEST_CASE("folders of images, CIFAR-100 and weights are no data of this kind") {
  const DataFolder folder;
  CHECK_FALSE(is_own_data(folder.path()));
  CHECK_FALSE(is_own_data(folder.path() / "absent"));
  folder.write("train/inputs/a.png", "x");
  folder.write("train/cat/inputs.png", "x");
  folder.write("val/inputs/a.png", "x");
  folder.write("train.bin", "x");
  folder.write("test.bin", "x");
  folder.write("weights.pt", "x");
  folder.write("targets.npy", "x");
  CHECK_FALSE(is_own_data(folder.path()));

  folder.write("train/inputs-1.pt", "x");
  CHECK(is_own_data(folder.path()));
}

}  // namespace
}  // namespace epochcast::tests
