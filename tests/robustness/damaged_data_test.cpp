// SPDX-License-Identifier: Apache-2.0
// Tensors and tokens of the user's own, damaged in thousands of ways: they are refused by the name
// of a file, or are still numbers that all lie in their file.
#include <sys/stat.h>

#include "base/files/text_file.hpp"
#include "core/tensors/own_data.hpp"
#include "core/tensors/tensor.hpp"
#include "tests/catch.hpp"
#include "tests/core/tensors/tensor_files.hpp"
#include "tests/robustness/campaign.hpp"
#include "tests/robustness/damage.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

constexpr std::int64_t kSequence = 16;

std::string written_by_pytorch(const std::string& name) {
  return read_text_file(EPOCHCAST_SOURCE_DIR "/tests/core/tensors/data/" + name);
}

std::string random_tokens(Random& random, std::size_t count) {
  std::vector<std::uint16_t> tokens(count);
  for (std::uint16_t& token : tokens) token = static_cast<std::uint16_t>(random.next());
  return bytes_of(tokens);
}

/// A folder's files: tensors by NumPy or PyTorch, or tokens.
Files some_data(Random& random) {
  switch (random.next() % 3) {
    case 0:
      return {{"inputs.npy", npy<float>("<f4", "(4, 3)", std::vector<float>(12, 0.5F))},
              {"targets.npy", npy<std::int64_t>("<i8", "(4,)", {0, 1, 2, 1})}};
    case 1:
      return {{"inputs.pt", written_by_pytorch("plain.pt")},
              {"targets.pt", written_by_pytorch("parameter.pt")}};
    default:
      return {{"train.bin", random_tokens(random, 100)}, {"val.bin", random_tokens(random, 50)}};
  }
}

/// Reads every number of one half; a classifier's labels are within its classes.
void read_all(const OwnSamples& samples, const Dataset& dataset) {
  std::vector<float> inputs(static_cast<std::size_t>(Tensor::elements_of(dataset.shape)));
  std::vector<float> targets(static_cast<std::size_t>(Tensor::elements_of(dataset.targets.shape)));
  for (std::int64_t i = 0; i < samples.size(); ++i) {
    samples.read_inputs(i, inputs);
    samples.read_targets(i, targets);
    const std::int64_t label = samples.label(i);
    if (label < 0 || label >= dataset.classes) FAIL("label " << label);
  }
}

TEST_CASE("damaged tensors and tokens are refused by a file's name, or read within their file") {
  const Campaign campaign(750);
  int refused = 0;
  for (std::uint64_t seed = campaign.first_seed(); seed < campaign.end_seed(); ++seed) {
    Random random(seed);
    Files files = some_data(random);
    const Damage done = damage(files, random);
    const DataFolder folder;
    for (const auto& [name, bytes] : files) folder.write(name, bytes);
    CAPTURE(seed, done.text);

    const Texts problems = problems_of([&] {
      const OwnData data = open_own_data(folder.path(), kSequence);
      read_all(*data.train, data.dataset);
      read_all(*data.test, data.dataset);
    });

    refused += problems.empty() ? 0 : 1;
    for (const std::string& problem : problems) CHECK(problem.starts_with(folder.path().string()));
  }
  CHECK(refused > 0);
}

TEST_CASE("tensors that are pipes, folders or devices are refused at once") {
  const DataFolder folder;
  folder.write("targets.npy", npy<std::int64_t>("<i8", "(2,)", {0, 1}));
  const std::string inputs = folder / "inputs.npy";
  const auto problem = [&] {
    const Texts problems =
        problems_of([&] { static_cast<void>(open_own_data(folder.path(), kSequence)); });
    return problems.empty() ? std::string() : problems.front();
  };

  mkfifo(inputs.c_str(), 0600);
  CHECK(problem() == inputs + ": is a pipe; expected a file");
  std::filesystem::remove(inputs);
  std::filesystem::create_directory(inputs);
  CHECK(problem() == inputs + ": is a folder; expected a file");
  std::filesystem::remove(inputs);
  std::filesystem::create_symlink("/dev/zero", inputs);
  CHECK(problem() == inputs + ": is a device; expected a file");
}

}  // namespace
}  // namespace epochcast::tests
