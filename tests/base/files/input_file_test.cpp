// SPDX-License-Identifier: Apache-2.0
#include "base/files/input_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/files/text_file.hpp"
#include "tests/catch.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

namespace fs = std::filesystem;

TEST_CASE("anything but a file, and a file that is too long for its kind, is not read") {
  const fs::path folder =
      fs::temp_directory_path() / ("epochcast-input-" + std::to_string(getpid()));
  fs::create_directory(folder);
  const fs::path file = folder / "file";
  std::ofstream(file) << "0123456789";
  mkfifo((folder / "pipe").c_str(), 0600);
  const auto problem = [](const fs::path& name, const FileKind& kind) {
    return problems_of([&] { static_cast<void>(read_text_file(name, kind)); });
  };

  CHECK(read_text_file(file, {"digits", 10}) == "0123456789");
  CHECK(problem(file, {"digits", 9}) ==
        Texts{file.string() + ": is 10 B; expected at most 9 B of digits"});
  CHECK(problem(folder / "pipe", kModelFile) ==
        Texts{(folder / "pipe").string() + ": is a pipe; expected a file"});
  CHECK(problem("/dev/zero", kModelFile) == Texts{"/dev/zero: is a device; expected a file"});
  CHECK(problem(folder, kModelFile) == Texts{folder.string() + ": is a folder; expected a file"});
  CHECK(problem(folder / "none", kModelFile) ==
        Texts{(folder / "none").string() + ": cannot be read: No such file or directory"});
  fs::remove_all(folder);
}

TEST_CASE("a file of unknown length is read to its end") {
  CHECK(read_text_file("/proc/self/status").find("Name:") == 0);
}

}  // namespace
}  // namespace epochcast::tests
