// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "tests/catch.hpp"
#include "tests/core/tensors/tensor_files.hpp"
#include "tests/real/data/files.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::real::tests {
namespace {

/// Rows of numbers instead of tokens.
Dataset numbers(Dataset rows) {
  rows.are_tokens = false;
  return rows;
}

using epochcast::tests::bytes_of;
using epochcast::tests::DataFolder;
using epochcast::tests::npy;
using epochcast::tests::problems_of;

/// 20 samples of two numbers in two classes.
void write_tensors(const DataFolder& folder) {
  Floats inputs(40);
  std::vector<std::int64_t> labels(20);
  for (std::size_t i = 0; i < 40; ++i) inputs[i] = static_cast<float>(i);
  for (std::size_t i = 0; i < 20; ++i) labels[i] = static_cast<std::int64_t>(i % 2);
  folder.write("inputs.npy", npy("<f4", "(20, 2)", inputs));
  folder.write("targets.npy", npy("<i8", "(20,)", labels));
}

Dataset two_numbers(std::int64_t classes) { return numbers(tiny_dataset({2}, classes, 18, 2)); }

Texts problems(const Dataset& dataset, const DataFolder& folder) {
  return problems_of([&] { static_cast<void>(open_data(dataset, folder.path())); });
}

TEST_CASE("tensors are samples with labels, the same for every variant") {
  const DataFolder folder;
  write_tensors(folder);

  const DataSplit split = open_data(two_numbers(2), folder.path());

  CHECK(split.train->size() == 18);
  CHECK_FALSE(split.train->are_tokens());
  CHECK(split.train->targets().kind == TargetKind::classes);
  CHECK(sample_of(*split.train, 3) == Sample{{6, 7}, 1});
  CHECK(sample_of(*split.train, 3, 99) == Sample{{6, 7}, 1});
  CHECK(sample_of(*split.test, 0) == Sample{{36, 37}, 0});
  CHECK(split.title ==
        "tensors, the last tenth of which is for tests, in " + folder.path().string());
}

TEST_CASE("values are loaded with their samples") {
  const DataFolder folder;
  write_tensors(folder);
  folder.write("targets.npy", npy("<f4", "(20, 1)", Floats(20, 0.25F)));
  Dataset dataset = two_numbers(1);
  dataset.targets = {.kind = TargetKind::values, .shape = {1}};

  const DataSplit split = open_data(dataset, folder.path());
  Floats value(1);
  split.train->load_targets(7, value);

  CHECK(split.train->targets().kind == TargetKind::values);
  CHECK(value == Floats{0.25F});
  CHECK(sample_of(*split.train, 0).label == 0);
}

TEST_CASE("rows of tokens are cut to the data set's samples, and may have fewer words") {
  const DataFolder folder;
  const std::vector<std::uint16_t> tokens = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  folder.write("train.bin", bytes_of(tokens));
  folder.write("val.bin", bytes_of(tokens));
  Dataset dataset = tiny_dataset({4}, 50, 1000, 1000);
  dataset.targets = {.kind = TargetKind::tokens, .shape = {4}};

  const DataSplit split = open_data(dataset, folder.path());
  Floats targets(4);
  split.train->load_targets(1, targets);

  CHECK(split.train->size() == 2);
  CHECK(split.train->classes() == 50);
  CHECK(split.train->are_tokens());
  CHECK(sample_of(*split.train, 1).values == Floats{5, 6, 7, 8});
  CHECK(targets == Floats{6, 7, 8, 9});

  dataset.classes = 9;
  CHECK(problems(dataset, folder) ==
        Texts{folder.path().string() + ": got tokens of 10; tiny has tokens of 9"});
  CHECK(problems(tiny_dataset({3, 2, 2}, 9, 1, 1), folder) ==
        Texts{folder.path().string() + ": got rows of tokens; tiny has samples of 3x2x2"});
}

TEST_CASE("tensors that do not fit the data set are refused with their shape") {
  const DataFolder folder;
  write_tensors(folder);

  CHECK(problems(numbers(tiny_dataset({3}, 2, 1, 1)), folder) ==
        Texts{folder.path().string() + ": got samples of 2; tiny has samples of 3"});
  CHECK(problems(two_numbers(1), folder) ==
        Texts{folder.path().string() + ": got 2 classes; tiny has 1 classes"});
  Dataset valued = two_numbers(2);
  valued.targets = {.kind = TargetKind::values, .shape = {2}};
  CHECK(problems(valued, folder) ==
        Texts{folder.path().string() + ": got 2 classes; tiny has 2 values"});
}

TEST_CASE("two threads load the tensors that one loads") {
  const DataFolder folder;
  write_tensors(folder);
  const DataSplit split = open_data(two_numbers(2), folder.path());
  const auto load_all = [&] {
    std::vector<Sample> samples;
    for (int round = 0; round < 100; ++round) {
      for (int i = 0; i < 18; ++i) samples.push_back(sample_of(*split.train, i));
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

}  // namespace
}  // namespace epochcast::real::tests
