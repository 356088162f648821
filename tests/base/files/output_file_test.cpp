// SPDX-License-Identifier: Apache-2.0
#include "base/files/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <ostream>
#include <sstream>

#include "base/error.hpp"
#include "tests/catch.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;

class TestFolder {
 public:
  TestFolder() {
    std::string name = (fs::temp_directory_path() / "epochcast-output-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path_ = name;
  }
  ~TestFolder() { fs::remove_all(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  [[nodiscard]] fs::path operator/(const std::string& name) const { return path_ / name; }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path_ / name).rdbuf();
    return text.str();
  }
  [[nodiscard]] std::ptrdiff_t entries() const {
    return std::distance(fs::directory_iterator(path_), {});
  }

 private:
  fs::path path_;
};

std::string refusal(const fs::path& file) {
  try {
    const OutputFile output(file);
  } catch (const UserError& error) {
    return std::string(error.what()).substr(file.string().size());
  }
  return "";
}

TEST_CASE("an output file is checked before there is content") {
  const TestFolder folder;
  mkfifo((folder / "pipe").c_str(), 0600);
  fs::create_symlink("circle", folder / "circle");
  std::ofstream(folder / "text") << "x";

  CHECK(refusal(folder / "new") == "");
  CHECK(refusal(folder / ".") == ": cannot be written: it is a folder; expected a file");
  CHECK(refusal(folder / "pipe") == ": cannot be written: the pipe has no reader");
  CHECK(refusal(folder / "circle") == ": cannot be written: Too many levels of symbolic links");
  CHECK(refusal(folder / "none" / "new") ==
        ": cannot be written: there is no folder " + (folder / "none").string());
  CHECK(refusal(folder / "text" / "new") == ": cannot be written: Not a directory");
  CHECK(refusal(folder / std::string(300, 'x')) == ": cannot be written: File name too long");
  CHECK(refusal("/proc/new") == ": cannot be written: No such file or directory");
  CHECK(folder.entries() == 3);
}

TEST_CASE("content replaces a file as a whole, and keeps its permissions") {
  const TestFolder folder;
  std::ofstream(folder / "old") << "a long text";
  fs::permissions(folder / "old", fs::perms::owner_read | fs::perms::owner_write);
  const OutputFile output(folder / "old");

  output.write("short");

  CHECK(folder.read("old") == "short");
  CHECK(fs::status(folder / "old").permissions() ==
        (fs::perms::owner_read | fs::perms::owner_write));
  CHECK(folder.entries() == 1);
}

TEST_CASE("a failed output leaves the old file and no draft") {
  const TestFolder folder;
  std::ofstream(folder / "old") << "precious";
  const OutputFile output(folder / "old");

  CHECK_THROWS_AS(output.write([](std::ostream& out) {
    out << std::string(1 << 20, 'x');
    throw RunError("half done");
  }),
                  RunError);
  CHECK(folder.read("old") == "precious");
  CHECK(folder.entries() == 1);
}

TEST_CASE("links stay links, and their target is written, whether it exists or not") {
  const TestFolder folder;
  std::ofstream(folder / "file") << "old";
  fs::create_directory(folder / "sub");
  fs::create_symlink("../file", folder / "sub/link");
  fs::create_symlink("sub/link", folder / "chain");
  fs::create_symlink("sub/new", folder / "dangling");

  OutputFile(folder / "chain").write("new");
  OutputFile(folder / "dangling").write("made");

  CHECK(folder.read("file") == "new");
  CHECK(folder.read("sub/new") == "made");
  for (const char* link : {"sub/link", "chain", "dangling"}) CHECK(fs::is_symlink(folder / link));
}

TEST_CASE("devices, pipes and open files are written to, not replaced") {
  const TestFolder folder;
  mkfifo((folder / "pipe").c_str(), 0600);
  const FileDescriptor reader(open((folder / "pipe").c_str(), O_RDONLY | O_NONBLOCK));
  const FileDescriptor file(open((folder / "open").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600));
  REQUIRE(write(file.number(), "first, ", 7) == 7);

  OutputFile(folder / "pipe").write("through");
  OutputFile("/dev/fd/" + std::to_string(file.number())).write("second");
  OutputFile("/dev/null").write("nothing");

  char text[16] = {};
  CHECK(read(reader.number(), text, sizeof text) == 7);
  CHECK(std::string(text) == "through");
  CHECK(fs::is_fifo(folder / "pipe"));
  CHECK(folder.read("open") == "first, second");
  CHECK(fs::is_character_file("/dev/null"));
  CHECK_THROWS_WITH(OutputFile("/dev/full").write("text"),
                    "/dev/full: cannot be written: No space left on device");
  CHECK(fs::is_character_file("/dev/full"));
}

TEST_CASE("an empty name writes no file") {
  const OutputFile none{fs::path()};

  none.write("text");

  CHECK(!none.is_wanted());
}

TEST_CASE("outputs that are the same file, or an input, are refused under any name") {
  const TestFolder folder;
  std::ofstream(folder / "input") << "x";
  fs::create_symlink("input", folder / "link");
  fs::create_hard_link(folder / "input", folder / "twin");
  fs::create_directory(folder / "data");
  std::ofstream(folder / "data/images") << "x";
  const auto apart = [&](const std::vector<std::string>& outputs, const std::string& input) {
    std::vector<OutputFile> files;
    files.reserve(outputs.size());
    for (const std::string& name : outputs) files.emplace_back(name.empty() ? "" : folder / name);
    try {
      keep_apart(files, {folder / input});
    } catch (const UserError& error) {
      std::string text = error.what();
      const std::string path = (folder / "").string();
      for (std::size_t at = 0; (at = text.find(path)) != text.npos;) text.erase(at, path.size());
      return text;
    }
    return std::string();
  };

  CHECK(apart({"", "new", "other", "data/new"}, "data") == "");
  CHECK(apart({"input"}, "input") == "input: cannot be written: it is input, an input");
  CHECK(apart({"link"}, "input") == "link: cannot be written: it is input, an input");
  CHECK(apart({"twin"}, "input") == "twin: cannot be written: it is input, an input");
  CHECK(apart({"input"}, "link") == "input: cannot be written: it is link, an input");
  CHECK(apart({"data/images"}, "data") ==
        "data/images: cannot be written: it is a file of data, an input");
  CHECK(apart({"new", "data/../new"}, "data") ==
        "data/../new: cannot be written: it is new, which is written, too");
  CHECK(apart({"link", "twin"}, "data") ==
        "twin: cannot be written: it is link, which is written, too");
}

TEST_CASE("a folder of outputs is checked, and not created") {
  const TestFolder folder;
  std::ofstream(folder / "text") << "x";

  check_output_folder(folder / "a/b/");
  check_output_folder(folder / ".");

  CHECK(folder.entries() == 1);
  CHECK_THROWS_WITH(check_output_folder(folder / "text"),
                    (folder / "text").string() + ": cannot be written: " +
                        (folder / "text").string() + " is a file; expected a folder");
  CHECK_THROWS_WITH(check_output_folder("/proc/none"),
                    "/proc/none: cannot be written: No such file or directory");
}

}  // namespace
}  // namespace epochcast
