// SPDX-License-Identifier: Apache-2.0
#include "real/data/tokens.hpp"
#include "tests/catch.hpp"
#include "tests/real/data/files.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::real::tests {
namespace {

using epochcast::tests::problems_of;

using Tokens = std::vector<std::uint16_t>;

Tokens tokens_of(std::string_view text, std::size_t length = 4) {
  Tokens tokens(length, 12345);
  write_tokens(text, tokens);
  return tokens;
}

/// FNV-1a of "a" and of "foobar" are published (RFC 9923, appendix C).
constexpr auto kA = static_cast<std::uint16_t>(2 + 0xaf63dc4c8601ec8cU % 30520);
constexpr auto kFoobar = static_cast<std::uint16_t>(2 + 0x85944171f73967e8U % 30520);

TEST_CASE("a text is the start token, a hash of each word, and padding") {
  CHECK(tokens_of("a foobar") == Tokens{1, kA, kFoobar, 0});
  CHECK(tokens_of("") == Tokens{1, 0, 0, 0});
}

TEST_CASE("words end at punctuation, and their case does not matter") {
  CHECK(tokens_of("--A, (FooBar)!") == Tokens{1, kA, kFoobar, 0});
  CHECK(tokens_of("a-foobar") == tokens_of("a foobar"));
  CHECK(tokens_of("a1") != tokens_of("a 1"));
  CHECK(tokens_of("f\u00fcr")[2] == 0);  // one word
}

TEST_CASE("words beyond the length are dropped") {
  CHECK(tokens_of("a foobar a foobar a") == Tokens{1, kA, kFoobar, kA});
}

TEST_CASE("word tokens are neither special nor beyond the vocabulary") {
  for (int i = 0; i < 100'000; ++i) {
    const std::uint16_t token = tokens_of(std::to_string(i), 2)[1];
    if (token < 2 || token >= 30522) FAIL(i << " has token " << token);
  }
}

const Dataset kTiny = tiny_dataset({4}, 2, 2, 1);

class TinyNews {
 public:
  TinyNews() {
    write("train.csv", "\"2\",\"A\",\"foobar\"\n\"1\",\"foobar\",\"a \"\"A\"\", a\"\n");
    write("test.csv", "1,a,a");
  }

  void write(const std::string& file, const std::string& text) const {
    write_file(folder_.path() / file, text);
  }
  [[nodiscard]] std::string operator/(const std::string& file) const { return folder_ / file; }
  [[nodiscard]] DataSplit open(const Dataset& dataset = kTiny) const {
    return open_data(dataset, folder_.path());
  }
  [[nodiscard]] Texts problems(const Dataset& dataset = kTiny) const {
    return problems_of([&] { static_cast<void>(open(dataset)); });
  }

 private:
  TemporaryFolder folder_;
};

TEST_CASE("AG News rows are a class from 1, a title and a description") {
  const DataSplit split = TinyNews().open();

  REQUIRE(split.train->size() == 2);
  REQUIRE(split.test->size() == 1);
  CHECK(sample_of(*split.train, 0) == Sample{{1, kA, kFoobar, 0}, 1});
  CHECK(sample_of(*split.train, 1) == Sample{{1, kFoobar, kA, kA}, 0});
  CHECK(sample_of(*split.test, 0) == Sample{{1, kA, kA, 0}, 0});
  CHECK(sample_of(*split.train, 1, 99) == sample_of(*split.train, 1));
  CHECK_FALSE(split.train->is_slow());
}

TEST_CASE("a header row of AG News is skipped") {
  const TinyNews files;
  files.write("test.csv", "Class Index,Title,Description\r\n2,a,foobar\r\n");

  const DataSplit split = files.open();

  REQUIRE(split.test->size() == 1);
  CHECK(sample_of(*split.test, 0) == Sample{{1, kA, kFoobar, 0}, 1});
}

TEST_CASE("AG News may begin with a byte-order mark") {
  const TinyNews files;
  files.write("train.csv", "\xef\xbb\xbf\"2\",\"A\",\"foobar\"\n1,a,a\n");
  files.write("test.csv",
              "\xef\xbb\xbf"
              "Class Index,Title,Description\n2,a,foobar\n");

  const DataSplit split = files.open();

  CHECK(sample_of(*split.train, 0) == Sample{{1, kA, kFoobar, 0}, 1});
  REQUIRE(split.test->size() == 1);
  CHECK(sample_of(*split.test, 0) == Sample{{1, kA, kFoobar, 0}, 1});
}

TEST_CASE("AG News may have any positive number of rows") {
  const TinyNews files;

  CHECK(files.problems(tiny_dataset({4}, 2, 120000, 7600)).empty());
  files.write("test.csv", "");
  CHECK(files.problems() == Texts{files / "test.csv: got no rows; expected at least one"});
}

TEST_CASE("a class out of range is reported with its row") {
  const TinyNews files;
  for (const std::string wrong : {"3", "0", "", "1x", "World"}) {
    files.write("test.csv", "1,a,a\n" + wrong + ",a,a\n");

    CHECK(files.problems() ==
          Texts{files / "test.csv: row 2: got class \"" + wrong + "\"; expected 1 to 2"});
  }
}

TEST_CASE("a row with another number of fields is reported") {
  const TinyNews files;
  files.write("test.csv", "1,a,a\n1,a\n");

  CHECK(files.problems() == Texts{files / "test.csv: row 2: got 2 fields; expected 3: class, "
                                          "title, description"});
}

TEST_CASE("a misplaced quotation mark is reported with its row") {
  const TinyNews files;
  const std::string expected = files /
                               "test.csv: row 2: got a quotation mark out of place; "
                               "expected fields in \"...\", with \"\" for a quotation "
                               "mark inside";

  files.write("test.csv", "1,a,a\n1,\"a\" b,a\n");
  CHECK(files.problems() == Texts{expected});
  files.write("test.csv", "1,a,a\n1,a,\"never closed\n");
  CHECK(files.problems() == Texts{expected});
}

TEST_CASE("a class without any training row is reported") {
  const TinyNews files;

  CHECK(files.problems(tiny_dataset({4}, 3, 2, 1)) ==
        Texts{files / "train.csv: got no row of class 3; expected rows of classes 1 to 3"});
}

TEST_CASE("AG News does not fit a data set of images") {
  const TinyNews files;

  CHECK(files.problems(tiny_dataset({3, 32, 32}, 2, 2, 1)) ==
        Texts{std::filesystem::path(files / "x").parent_path().string() +
              ": got the texts of AG's News; tiny has samples of 3x32x32"});
}

}  // namespace
}  // namespace epochcast::real::tests
