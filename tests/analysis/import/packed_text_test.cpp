// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/packed_text.hpp"

#include "tests/analysis/import/files.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

std::string text_of(const TestFile& file, const FileKind& kind = kProfileFile) {
  return PackedText(file.path(), kind).rest(kind.most_bytes);
}

std::string problem_of(const TestFile& file, const FileKind& kind = kProfileFile) {
  const Texts problems = problems_of([&] { static_cast<void>(text_of(file, kind)); });
  return problems.size() == 1 ? problems[0].substr(file.path().string().size()) : "";
}

TEST_CASE("a file is decompressed by its content, not by its name") {
  const std::string long_text(200'000, 'x');

  CHECK(text_of(TestFile("plain.gz", "{}\n")) == "{}\n");
  CHECK(text_of(TestFile("packed.json", gzipped("{}\n"))) == "{}\n");
  CHECK(text_of(TestFile("packed.json", gzipped(long_text))) == long_text);
}

TEST_CASE("the first character after blanks is found, and read again") {
  const TestFile file("a", " \n\t{}");
  PackedText text(file.path());

  CHECK(text.first_character() == '{');
  CHECK(text.rest(10) == "{}");
  CHECK(text.first_character() == 0);
}

TEST_CASE("a truncated or damaged gzip file is bad input") {
  const std::string packed = gzipped(std::string(1000, 'x') + "the end");
  std::string damaged = packed;
  damaged[damaged.size() - 6] ^= 1;  // of the checksum

  CHECK(problem_of(TestFile("a", packed.substr(0, packed.size() / 2))) ==
        ": its gzip data is cut off");
  CHECK(problem_of(TestFile("a", damaged)) == ": its gzip data is damaged");
  CHECK(problem_of(TestFile("a", packed + "more")) == ": has other data after its gzip data");
  CHECK(text_of(TestFile("a", gzipped("{") + gzipped("}"))) ==
        "{}");  // as gzip's own format allows
}

TEST_CASE("a file that is empty, absent, a folder or too long is bad input") {
  CHECK(problem_of(TestFile("a", "")) == ": is empty");
  CHECK(problem_of(TestFile("a", "0123456789"), {"digits", 9}) ==
        ": is 10 B; expected at most 9 B of digits");
  CHECK(problem_of(TestFile("a", gzipped(std::string(1000, 'x'))), {"digits", 999}) ==
        ": is longer than 999 B; profile fewer iterations (torch.profiler.schedule)");
  CHECK(problems_of([] { PackedText("/no/such"); }) ==
        Texts{"/no/such: cannot be read: No such file or directory"});
  CHECK(problems_of([] { PackedText("/"); }) == Texts{"/: is a folder; expected a file"});
}

TEST_CASE("a file that expands to hundreds of times its size is refused while reading") {
  const TestFile file("a", gzipped(std::string(std::size_t{100} << 20, ' ')));

  CHECK(problem_of(file).find(": unpacks to more than 200 times its ") == 0);
}

}  // namespace
}  // namespace epochcast::tests
