// SPDX-License-Identifier: Apache-2.0
#include "core/process/temp_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

#include "core/error.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// In a folder that may be removed when nobody has locked it.
constexpr const char* kMark = ".temporary";
/// For the programs of a process that was killed to end: longer than they are given for it.
constexpr auto kPatience = 20s;

/// Not closed on exec: what is started holds the lock as well.
Descriptor locked(const fs::path& folder) {
  Descriptor lock(open(folder.c_str(), O_RDONLY | O_DIRECTORY));
  if (lock.is_open() && flock(lock.number(), LOCK_EX | LOCK_NB) != 0) lock.reset();
  return lock;
}

void remove_unlocked(const fs::path& folder) {
  std::error_code ignored;
  const Descriptor lock = locked(folder);
  if (lock.is_open() && fs::exists(folder / kMark, ignored)) fs::remove_all(folder, ignored);
}

/// Those whose owners were killed together with their guards.
void remove_stale(const fs::path& place, const std::string& kind) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(place, ignored)) {
    if (entry.path().filename().string().starts_with(kind + "-")) remove_unlocked(entry.path());
  }
}

/// Removes the folder once whoever has the other end of `alive` is gone, and all it started.
[[noreturn]] void guard(const fs::path& folder, const Descriptor& alive) {
  setsid();  // what is sent to the owner's group is not meant for the guard
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
  prctl(PR_SET_NAME, "epochcast-guard");
  dup2(alive.number(), STDIN_FILENO);
  close_range(STDIN_FILENO + 1, ~0U, 0);  // its reader must see the end of the owner's output
  static_cast<void>(chdir("/"));
  char byte = 0;
  while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR) {
  }
  std::error_code ignored;
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (fs::exists(folder / kMark, ignored) && std::chrono::steady_clock::now() < end) {
    remove_unlocked(folder);
    std::this_thread::sleep_for(20ms);
  }
  _exit(0);
}

}  // namespace

TempFolder::TempFolder(const std::string& kind) {
  const fs::path place = fs::temp_directory_path();
  remove_stale(place, kind);
  std::string name = (place / (kind + "-XXXXXX")).string();
  if (mkdtemp(name.data()) == nullptr)
    throw RunError(name + ": cannot be made: " + std::strerror(errno));
  path_ = fs::absolute(name);
  lock_ = locked(path_);
  Pipe pipe;
  guard_ = fork();
  if (guard_ == 0) {
    pipe.writing.reset();
    guard(path_, pipe.reading);
  }
  alive_ = std::move(pipe.writing);
  std::ofstream(path_ / kMark).flush();
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  if (fs::exists(path_ / kMark, ignored)) fs::remove_all(path_, ignored);
  alive_.reset();
  while (guard_ > 0 && waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void TempFolder::keep() {
  std::error_code ignored;
  fs::remove(path_ / kMark, ignored);
}

}  // namespace epochcast
