// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/packed_text.hpp"

#include "tests/analysis/import/files.hpp"
#include "tests/catch.hpp"
#include "tests/core/problems_of.hpp"

namespace epochcast::tests {
namespace {

std::string problem_of(const TestFile& file, std::size_t most_bytes = kMostTextBytes) {
  const Texts problems =
      problems_of([&] { static_cast<void>(read_packed_text(file.path(), most_bytes)); });
  return problems.size() == 1 ? problems[0].substr(file.path().string().size()) : "";
}

TEST_CASE("a file is read as it is, or unpacked, by what it holds and not by its name") {
  CHECK(read_packed_text(TestFile("plain.gz", "{}\n").path()) == "{}\n");
  CHECK(read_packed_text(TestFile("packed.json", gzipped("{}\n")).path()) == "{}\n");
}

TEST_CASE("a gzipped file that is cut off or damaged is bad input") {
  const std::string packed = gzipped(std::string(1000, 'x') + "the end");
  std::string damaged = packed;
  damaged[damaged.size() - 6] ^= 1;  // of the checksum

  CHECK(problem_of(TestFile("a", packed.substr(0, packed.size() / 2))) ==
        ": its gzip data is cut off");
  CHECK(problem_of(TestFile("a", damaged)) == ": its gzip data is damaged");
}

TEST_CASE("a file that is empty, absent, a folder or too long is bad input") {
  CHECK(problem_of(TestFile("a", "")) == ": is empty");
  CHECK(problem_of(TestFile("a", "0123456789"), 9) ==
        ": is longer than 9 B; profile fewer iterations (torch.profiler.schedule)");
  CHECK(problems_of([] { static_cast<void>(read_packed_text("/no/such")); }) ==
        Texts{"/no/such: cannot be opened for reading"});
  CHECK(problems_of([] { static_cast<void>(read_packed_text("/")); }) ==
        Texts{"/: is a folder; expected a file"});
}

}  // namespace
}  // namespace epochcast::tests
