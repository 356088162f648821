// SPDX-License-Identifier: Apache-2.0
#include "base/files/line_file.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "base/files/text_file.hpp"
#include "tests/catch.hpp"

namespace epochcast {
namespace {

TEST_CASE("a file of lines is replaced or appended to") {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("epochcast-lines-" + std::to_string(getpid()));
  std::ofstream(file) << "old\n";

  LineFile(OutputFile(file), LineFile::Start::after_older_lines).add("two");
  CHECK(read_text_file(file) == "old\ntwo\n");

  const LineFile lines(OutputFile(file), LineFile::Start::empty);
  lines.add("one");
  CHECK(read_text_file(file) == "one\n");
  lines.add("two");
  CHECK(read_text_file(file) == "one\ntwo\n");
  std::filesystem::remove(file);

  CHECK_THROWS_WITH(LineFile(OutputFile("/dev/full"), LineFile::Start::empty).add("x"),
                    "/dev/full: cannot be written: No space left on device");
}

}  // namespace
}  // namespace epochcast
