// SPDX-License-Identifier: Apache-2.0
// The files are what PyTorch has written: data/make_tensors.py.
#include "core/tensors/torch_tensor.hpp"

#include <algorithm>

#include "base/files/text_file.hpp"
#include "tests/catch.hpp"
#include "tests/core/tensors/read_back.hpp"
#include "tests/core/tensors/tensor_files.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

/// The error for a file, from its name on.
std::string problem_with(const std::string& file) {
  const Texts problems = problems_of([&] { static_cast<void>(open_torch_tensor(file)); });
  if (problems.empty()) return {};
  REQUIRE(problems.size() == 1);
  REQUIRE(problems[0].starts_with(file + ": "));
  return problems[0].substr(file.size() + 2);
}

std::string alone(const std::string& file) {
  return "; expected a tensor alone: torch.save(tensor, \"" + file + "\")";
}

const Floats kTwelve = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

TEST_CASE("a tensor that PyTorch has saved has its shape and numbers, a parameter too") {
  for (const char* name : {"plain.pt", "parameter.pt", "bfloat16.pt"}) {
    CAPTURE(name);
    const Tensor tensor = open_torch_tensor(real_file(name));

    CHECK(tensor.shape() == Shape{4, 3});
    CHECK(all_of(tensor) == kTwelve);
  }
  CHECK(open_torch_tensor(real_file("plain.pt")).type() == ElementType::float32);
  CHECK(open_torch_tensor(real_file("bfloat16.pt")).type() == ElementType::bfloat16);
  const Tensor labels = open_torch_tensor(real_file("int64.pt"));
  CHECK(labels.type() == ElementType::int64);
  CHECK(labels.integer(1) == -1);
}

TEST_CASE("rows of a larger tensor are those rows") {
  const Tensor tensor = open_torch_tensor(real_file("rows.pt"));

  CHECK(tensor.shape() == Shape{2, 3});
  CHECK(all_of(tensor) == Floats{3, 4, 5, 6, 7, 8});
}

TEST_CASE("a pickle with code is refused with the function it would call, without running it") {
  const std::string file = real_file("hostile.pt");

  CHECK(problem_with(file) ==
        "holds a posix.system, no tensor, and nothing of it was run" + alone(file));
  CHECK_FALSE(std::filesystem::exists("epochcast-was-here"));
}

TEST_CASE("anything but a tensor is refused with its type") {
  const auto problem = [](const std::string& name) { return problem_with(real_file(name)); };
  const auto holds = [](const std::string& what, const std::string& name) {
    return "holds " + what + ", no tensor, and nothing of it was run" + alone(real_file(name));
  };
  CHECK(problem("dictionary.pt") == holds("a dictionary", "dictionary.pt"));
  CHECK(problem("list.pt") == holds("a list", "list.pt"));
  CHECK(problem("sparse.pt") == holds("a torch._utils._rebuild_sparse_tensor", "sparse.pt"));
  CHECK(problem("transposed.pt") ==
        "is a view whose rows do not follow each other; save tensor.contiguous()");
  CHECK(problem("legacy.pt") ==
        "is a bare pickle, which is not read" + alone(real_file("legacy.pt")));
  CHECK(problem("half.npy") == "is no file of PyTorch's" + alone(real_file("half.npy")));
  CHECK(problem("several.npz") ==
        "is an archive without data.pkl" + alone(real_file("several.npz")));
}

TEST_CASE("a truncated tensor file, or one with a flipped bit, is refused") {
  const std::string whole = read_text_file(real_file("plain.pt"));
  const std::string numbers = bytes_of(kTwelve);
  const std::size_t at = whole.find(numbers);
  REQUIRE(at != std::string::npos);
  const DataFolder folder;

  std::string flipped = whole;
  flipped[at + 5] ^= 0x10;
  CHECK(problem_with(folder.write("x.pt", flipped))
            .starts_with("is damaged: data/0 of its archive has a wrong checksum"));
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    CAPTURE(length);
    CHECK_FALSE(problem_with(folder.write("x.pt", whole.substr(0, length))).empty());
  }
}

}  // namespace
}  // namespace epochcast::tests
