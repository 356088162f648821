// SPDX-License-Identifier: Apache-2.0
#include "real/data/content_mark.hpp"

#include "tests/catch.hpp"
#include "tests/core/tensors/tensor_files.hpp"
#include "tests/real/data/files.hpp"

namespace epochcast::real::tests {
namespace {

using epochcast::tests::DataFolder;
using epochcast::tests::npy;

/// The mark of 18 samples of two numbers, which count from `first` on, and of their values.
std::string mark_of(float first, float value) {
  const DataFolder folder;
  Floats inputs(40);
  for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] = first + static_cast<float>(i);
  folder.write("inputs.npy", npy("<f4", "(20, 2)", inputs));
  folder.write("targets.npy", npy("<f4", "(20,)", Floats(20, value)));
  Dataset dataset = tiny_dataset({2}, 1, 18, 2);
  dataset.are_tokens = false;
  dataset.targets = {.kind = TargetKind::values, .shape = {1}};
  return content_mark(*open_data(dataset, folder.path()).train);
}

TEST_CASE("the mark depends on samples and targets, not on their place") {
  CHECK(mark_of(0, 1) == mark_of(0, 1));
  CHECK(mark_of(0, 1) != mark_of(1, 1));
  CHECK(mark_of(0, 1) != mark_of(0, 2));
}

TEST_CASE("the first and the last of many samples count, and their number") {
  const Dataset dataset = tiny_dataset({1, 8, 8}, 3, 1000, 1);
  const auto mark = [](Dataset of, std::int64_t samples, std::uint64_t seed) {
    of.train_samples = samples;
    return content_mark(*procedural_data(of, seed).train);
  };

  CHECK(mark(dataset, 1000, 1) == mark(dataset, 1000, 1));
  CHECK(mark(dataset, 1000, 1) != mark(dataset, 999, 1));
  CHECK(mark(dataset, 1, 1) != mark(dataset, 1, 2));
}

}  // namespace
}  // namespace epochcast::real::tests
