// SPDX-License-Identifier: Apache-2.0
#include "base/process/lock_file.hpp"

#include "tests/base/process/processes.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

namespace fs = std::filesystem;
using Answer = LockFile::Answer;

class LockPath {
 public:
  ~LockPath() { fs::remove(path_); }
  operator const fs::path&() const { return path_; }  // NOLINT: a path for the test

 private:
  fs::path path_ = fs::temp_directory_path() / ("epochcast-lock-" + std::to_string(getpid()));
};

TEST_CASE("each byte of a lock file has at most one holder") {
  const LockPath path;
  const LockFile one(path);
  const LockFile other(path);
  CHECK_FALSE(other.is_taken());

  CHECK(one.try_lock(3) == Answer::ours);
  CHECK(one.try_lock(3) == Answer::ours);
  CHECK(other.try_lock(3) == Answer::taken);
  CHECK(other.try_lock(4) == Answer::ours);
  CHECK(other.is_taken());
  one.unlock(3);
  CHECK(other.try_lock(3) == Answer::ours);
  CHECK_FALSE(other.is_taken());
}

TEST_CASE("a killed process holds no locks") {
  const LockPath path;
  Child holder = in_process([&] {
    const LockFile file(path);
    if (file.try_lock(0) == Answer::ours) file.write("holder");
    pause();
    return 0;
  });
  const LockFile file(path);
  REQUIRE(soon([&] { return file.text() == "holder"; }));
  CHECK(file.try_lock(0) == Answer::taken);

  kill_now(holder);

  CHECK(file.try_lock(0) == Answer::ours);
  file.write("me");
  CHECK(file.text() == "me");
}

}  // namespace
}  // namespace epochcast::tests
