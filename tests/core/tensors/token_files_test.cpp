// SPDX-License-Identifier: Apache-2.0
#include "core/tensors/token_files.hpp"

#include <numeric>

#include "tests/catch.hpp"
#include "tests/core/tensors/read_back.hpp"
#include "tests/core/tensors/tensor_files.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

template <typename Token>
std::string row(std::size_t count, Token first) {
  std::vector<Token> tokens(count);
  std::iota(tokens.begin(), tokens.end(), first);
  return bytes_of(tokens);
}

Texts problems_with(const DataFolder& folder, std::optional<std::int64_t> sequence) {
  return problems_of([&] { static_cast<void>(open_token_files(folder.path(), sequence)); });
}

TEST_CASE("a row of N tokens has (N - 1) / T samples, each's targets one token further") {
  const DataFolder folder;
  folder.write("train.bin", row<std::uint16_t>(13, 100));
  folder.write("val.bin", row<std::uint16_t>(9, 200));

  const OwnData data = open_token_files(folder.path(), 4);

  CHECK(data.train->size() == 3);  // 12 / 4
  CHECK(data.test->size() == 2);
  CHECK(inputs_of(*data.train, 2, 4) == Floats{108, 109, 110, 111});
  CHECK(targets_of(*data.train, 2, 4) == Floats{109, 110, 111, 112});
  CHECK(inputs_of(*data.test, 0, 4) == Floats{200, 201, 202, 203});
  CHECK(data.dataset.classes == 209);
  CHECK(data.dataset.are_tokens);
  CHECK(data.dataset.shape == std::vector<std::int64_t>{4});
  CHECK(data.dataset.targets.kind == TargetKind::tokens);
  CHECK(data.dataset.targets.shape == std::vector<std::int64_t>{4});
  CHECK(data.dataset.train_samples == 3);
  CHECK(data.dataset.test_samples == 2);
  CHECK(data.dataset.sample_bytes == 8);
  CHECK(data.dataset.title == "texts of 4 tokens (uint16) in " + folder.path().string());
}

TEST_CASE("a last sample needs one more token as its target") {
  const DataFolder folder;
  folder.write("val.bin", row<std::uint16_t>(5, 0));
  for (const std::size_t tokens : {8U, 9U}) {
    folder.write("train.bin", row<std::uint16_t>(tokens, 0));
    CHECK(open_token_files(folder.path(), 4).train->size() == (tokens == 9 ? 2 : 1));
  }
}

TEST_CASE("tokens of four bytes are recognised, whether their vocabulary is small or large") {
  for (const std::uint32_t first : {300U, 70000U}) {
    const DataFolder folder;
    folder.write("train.bin", row<std::uint32_t>(9, first));
    folder.write("val.bin", row<std::uint32_t>(9, 7));

    const OwnData data = open_token_files(folder.path(), 4);

    CHECK(data.train->size() == 2);
    CHECK(inputs_of(*data.train, 0, 4)[0] == static_cast<float>(first));
    CHECK(data.dataset.classes == first + 9);
    CHECK(data.dataset.title == "texts of 4 tokens (uint32) in " + folder.path().string());
  }
}

TEST_CASE("tokens of two bytes are recognised in files of any length and with few words") {
  const DataFolder folder;
  const std::vector<std::uint16_t> few = {0, 1, 1, 0, 0, 1, 0, 1};
  const std::vector<std::uint16_t> many = {9, 50256, 3, 40000, 60000, 7, 20, 30000};
  const std::vector<std::uint16_t> only_zeros(8, 0);
  for (const auto& tokens : {few, many, only_zeros}) {
    folder.write("train.bin", bytes_of(tokens));
    folder.write("val.bin", bytes_of(tokens));
    CHECK(open_token_files(folder.path(), 7).train->size() == 1);
  }
  folder.write("train.bin", row<std::uint16_t>(11, 5));  // no multiple of four bytes
  CHECK(open_token_files(folder.path(), 5).train->size() == 2);
}

TEST_CASE("the size of tokens in a file's name overrides its content") {
  const DataFolder folder;
  const std::vector<std::uint32_t> large = {1U << 20, 5, 6};
  folder.write("train.uint32.bin", bytes_of(large));
  folder.write("val.uint32.bin", row<std::uint32_t>(3, 0));
  CHECK(open_token_files(folder.path(), 2).dataset.classes == (1 << 20) + 1);

  const DataFolder other;
  const std::vector<std::uint16_t> like_long = {300, 0, 301, 0, 302, 0};
  other.write("train.uint16.bin", bytes_of(like_long));
  other.write("val.uint16.bin", bytes_of(like_long));
  CHECK(open_token_files(other.path(), 5).dataset.classes == 303);
}

TEST_CASE("train.bin alone, or with test.bin, is no row of tokens: it may be CIFAR-100") {
  const DataFolder folder;
  folder.write("train.bin", "xx");
  folder.write("test.bin", "xx");
  CHECK_FALSE(has_token_files(folder.path()));

  folder.write("val.bin", "xx");
  CHECK(has_token_files(folder.path()));
}

TEST_CASE("a file that cannot be cut into samples is refused with the expected length") {
  const DataFolder folder;
  folder.write("train.bin", row<std::uint16_t>(9, 0));
  folder.write("val.bin", row<std::uint16_t>(4, 0));

  CHECK(problems_with(folder, std::nullopt) ==
        Texts{"--sequence: missing; expected how many tokens of " + folder.path().string() +
              " are a sample, such as 1024"});
  CHECK(problems_with(folder, 4) ==
        Texts{folder / "val.bin: has 4 tokens; expected more than --sequence: a sample of 4, and "
                       "what comes after it"});
  folder.write("val.bin", row<std::uint16_t>(9, 0) + "x");
  CHECK(problems_with(folder, 4) ==
        Texts{folder / "val.bin: has 19 bytes; expected tokens of 2 bytes each (uint16)"});
  folder.write("val.bin", "");
  CHECK(problems_with(folder, 4) ==
        Texts{folder / "val.bin: has 0 tokens; expected more than --sequence: a sample of 4, and "
                       "what comes after it"});
}

TEST_CASE("a token that a float cannot represent exactly is refused") {
  const DataFolder folder;
  const std::vector<std::uint32_t> tokens = {1, 1U << 24, 2};
  folder.write("train.uint32.bin", bytes_of(tokens));
  folder.write("val.uint32.bin", bytes_of(tokens));

  CHECK(problems_with(folder, 2) ==
        Texts{folder / "train.uint32.bin: has the token 16777216, read as uint32; expected tokens "
                       "below 2^24"});
}

}  // namespace
}  // namespace epochcast::tests
