// SPDX-License-Identifier: Apache-2.0
#include "real/common/text_file.hpp"

#include <unistd.h>

#include "core/error.hpp"
#include "tests/catch.hpp"

namespace epochcast::real {
namespace {

TEST_CASE("a file is replaced whole, or not at all") {
  const auto folder =
      std::filesystem::temp_directory_path() / ("epochcast-file-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);

  write_atomically(folder / "t.json", "old");
  write_atomically(folder / "t.json", "new");

  CHECK(file_text(folder / "t.json") == "new");
  CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 1);
  CHECK_THROWS_WITH(
      write_atomically(folder / "absent" / "t.json", "x"),
      (folder / "absent" / "t.json").string() + ": cannot be written: No such file or directory");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace epochcast::real
