// SPDX-License-Identifier: Apache-2.0
#include "base/process/temp_folder.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "base/process/pipe.hpp"
#include "tests/base/process/processes.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

namespace fs = std::filesystem;

/// A private $TMPDIR for a test.
class PrivateTmp {
 public:
  PrivateTmp() {
    std::string name = (fs::temp_directory_path() / "epochcast-test-XXXXXX").string();
    path_ = mkdtemp(name.data());
    if (const char* before = std::getenv("TMPDIR")) before_ = before;
    setenv("TMPDIR", path_.c_str(), 1);
  }
  ~PrivateTmp() {
    if (before_.empty()) unsetenv("TMPDIR");
    if (!before_.empty()) setenv("TMPDIR", before_.c_str(), 1);
    fs::remove_all(path_);
  }
  PrivateTmp(const PrivateTmp&) = delete;
  PrivateTmp& operator=(const PrivateTmp&) = delete;

  [[nodiscard]] std::ptrdiff_t entries() const {
    return std::distance(fs::directory_iterator(path_), {});
  }

  /// Whether a folder in it has that file.
  [[nodiscard]] bool has(const std::string& file) const {
    return std::any_of(fs::directory_iterator(path_), {}, [&](const fs::directory_entry& folder) {
      return fs::exists(folder.path() / file);
    });
  }

 private:
  fs::path path_;
  std::string before_;
};

/// A process that has made a folder with a file and waits; once the file is there, it has a guard.
Child owner_of_folder() {
  return in_process([] {
    const TempFolder folder("owned");
    std::ofstream(folder.path() / "file") << "text";
    pause();
    return 0;
  });
}

TEST_CASE("a temporary folder exists as long as its owner, or longer if it is kept") {
  const PrivateTmp tmp;
  {
    TempFolder folder("owned");
    std::ofstream(folder.path() / "file") << "text";
    CHECK(tmp.entries() == 1);
  }
  CHECK(tmp.entries() == 0);
  { TempFolder("owned").keep(); }
  CHECK(tmp.entries() == 1);
  { const TempFolder next("owned"); }
  CHECK(tmp.entries() == 1);
}

TEST_CASE("$TMPDIR that is no folder is reported") {
  const PrivateTmp tmp;
  for (const char* place : {"/dev/null", "/dev/null/none", "no such folder"}) {
    setenv("TMPDIR", place, 1);

    CHECK_THROWS_WITH(
        TempFolder("owned"),
        "TMPDIR: got \"" + std::string(place) + "\"; expected a folder for temporary files");
  }
}

TEST_CASE("a private folder is made once, and refused if others may have made or may write it") {
  const PrivateTmp tmp;
  const fs::path folder = private_temporary_folder("kept");
  const std::string refusal = folder.string() +
                              ": expected a folder of yours that nobody else can read or write; "
                              "remove it, or set TMPDIR to another folder";
  CHECK(folder == fs::temp_directory_path() / ("kept-" + std::to_string(geteuid())));
  CHECK(fs::status(folder).permissions() == fs::perms::owner_all);
  CHECK(private_temporary_folder("kept") == folder);

  fs::permissions(folder, fs::perms::others_write, fs::perm_options::add);
  CHECK_THROWS_WITH(private_temporary_folder("kept"), refusal);

  fs::permissions(folder, fs::perms::owner_all);
  if (geteuid() == 0) {
    constexpr uid_t kOther = 65534;
    REQUIRE(chown(folder.c_str(), kOther, kOther) == 0);
    CHECK_THROWS_WITH(private_temporary_folder("kept"), refusal);
  }

  const fs::path elsewhere = fs::temp_directory_path() / "elsewhere";
  fs::rename(folder, elsewhere);
  fs::create_directory_symlink(elsewhere, folder);
  CHECK_THROWS_WITH(private_temporary_folder("kept"), refusal);
}

TEST_CASE("a temporary folder's owner ends when its guard is stopped") {
  const PrivateTmp tmp;
  Pipe go;
  Child owner = in_process([&] {
    const TempFolder folder("owned");
    write_all(go.writing.number(), "made");
    try {
      static_cast<void>(wait_for_input({}));
    } catch (const Interrupted&) {
    }
    return 0;
  });
  static_cast<void>(read_some(go.reading));
  const std::string process = std::to_string(owner.pid());
  pid_t guard = 0;
  std::ifstream("/proc/" + process + "/task/" + process + "/children") >> guard;
  REQUIRE(guard > 0);
  kill(guard, SIGSTOP);

  kill(owner.pid(), SIGTERM);

  CHECK(soon([&] { return owner.has_ended(); }));
  kill(guard, SIGKILL);
  CHECK(tmp.entries() == 0);
}

TEST_CASE("a temporary folder is removed when its owner is killed") {
  const PrivateTmp tmp;
  Child owner = owner_of_folder();
  REQUIRE(soon([&] { return tmp.has("file"); }));

  kill_now(owner);

  CHECK(soon([&] { return tmp.entries() == 0; }));
}

TEST_CASE("a temporary folder is removed when its owner is killed as soon as it is there") {
  const PrivateTmp tmp;
  constexpr int kTries = 50;
  for (int i = 0; i < kTries; ++i) {
    Child owner = owner_of_folder();
    while (tmp.entries() == 0 && !owner.has_ended()) {
    }
    kill_now(owner);
    REQUIRE(soon([&] { return tmp.entries() == 0; }));
  }
}

TEST_CASE("a folder whose owner and guard were killed is removed when the next one is created") {
  const PrivateTmp tmp;
  const fs::path stale = fs::temp_directory_path() / "owned-stale1";
  fs::create_directory(stale);
  std::ofstream(stale / ".temporary").flush();
  const fs::path foreign = fs::temp_directory_path() / "owned-without-mark";
  fs::create_directory(foreign);
  Child owner = owner_of_folder();
  CHECK(soon([&] { return !fs::exists(stale) && tmp.has("file"); }));
  CHECK(tmp.entries() == 2);

  { const TempFolder next("owned"); }

  CHECK(tmp.entries() == 2);  // the owner's is in use
  CHECK(fs::exists(foreign));
  kill_now(owner);
  CHECK(soon([&] { return tmp.entries() == 1; }));
}

TEST_CASE("a folder stays until the programs of a killed owner have ended") {
  const PrivateTmp tmp;
  Pipe go;
  Pipe end;
  Child owner = in_process([&] {
    const TempFolder folder("owned");
    // Ignores the signal that it gets when its parent dies.
    Child child = Child::start({"sh", "-c", "trap '' TERM; echo; read -r line"},
                               {.in = end.reading.number(), .out = go.writing.number()});
    return child.wait().in_shell();
  });
  static_cast<void>(read_some(go.reading));
  kill_now(owner);

  CHECK(tmp.entries() == 1);
  end.writing.reset();
  CHECK(soon([&] { return tmp.entries() == 0; }));
}

}  // namespace
}  // namespace epochcast::tests
