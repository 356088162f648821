// SPDX-License-Identifier: Apache-2.0
#include "base/process/temp_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

#include "base/error.hpp"
#include "base/process/pipe.hpp"

namespace epochcast {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// Marks a folder that may be removed when it is not locked.
constexpr const char* kMark = ".temporary";
/// Begins what a guard tells when it has made no folder.
constexpr char kFailed = '!';
/// Time for programs to end after their parent.
constexpr auto kTimeout = 5s;
constexpr auto kGuardTimeout = 20s;

bool is_temporary(const fs::path& folder) {
  std::error_code unreadable;
  return fs::exists(folder / kMark, unreadable);
}

/// Locks a folder: shared to use it, exclusive to remove it. `flags`: those of open().
FileDescriptor locked(const fs::path& folder, int operation, int flags) {
  FileDescriptor lock(open(folder.c_str(), O_RDONLY | O_DIRECTORY | flags));
  if (lock.is_open() && flock(lock.number(), operation | LOCK_NB) != 0) lock.reset();
  return lock;
}

/// Removes folders whose owners and guards were killed.
void remove_stale(const fs::path& place, const std::string& kind) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(place, ignored)) {
    const fs::path& folder = entry.path();
    if (!folder.filename().string().starts_with(kind + "-") || !is_temporary(folder)) continue;
    const FileDescriptor lock = locked(folder, LOCK_EX, O_CLOEXEC);
    if (lock.is_open()) fs::remove_all(folder, ignored);
  }
}

/// Removes the folder as soon as it is unused, or after `patience`.
void remove_when_free(const fs::path& folder, std::chrono::seconds patience) {
  std::error_code ignored;
  const auto end = std::chrono::steady_clock::now() + patience;
  bool is_late = false;
  while (!is_late && fs::exists(folder, ignored)) {
    is_late = std::chrono::steady_clock::now() > end;
    const FileDescriptor lock = locked(folder, LOCK_EX, O_CLOEXEC);
    // It fails if others remove files at the same time.
    if (lock.is_open() || is_late) fs::remove_all(folder, ignored);
    if (fs::exists(folder, ignored)) std::this_thread::sleep_for(10ms);
  }
}

/// Makes the folder, and removes it when the owner of the other end of `alive` and its children
/// have ended: nothing that kills the owner can leave it. Tells the owner its path, or why not.
[[noreturn]] void guard(std::string name, const Pipe& told, const FileDescriptor& alive) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
  prctl(PR_SET_NAME, "epochcast-guard");
  const bool is_made = mkdtemp(name.data()) != nullptr;
  const std::string answer = is_made ? name : std::string(1, kFailed) + std::strerror(errno);
  static_cast<void>(write(told.writing.number(), answer.data(), answer.size()));
  if (!is_made) _exit(1);
  dup2(alive.number(), STDIN_FILENO);
  close_range(STDIN_FILENO + 1, ~0U, 0);  // its reader must see the end of the owner's output
  static_cast<void>(chdir("/"));
  char byte = 0;
  while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR) {
  }
  remove_when_free(name, kGuardTimeout);
  _exit(0);
}

/// The message of the guard.
std::string whole(const FileDescriptor& told) {
  std::string text;
  for (std::string piece = read_some(told); !piece.empty(); piece = read_some(told)) text += piece;
  return text;
}

}  // namespace

fs::path temporary_place() {
  std::error_code error;
  fs::path place = fs::temp_directory_path(error);
  if (!error) return place;
  // The variables of std::filesystem::temp_directory_path(), in its order.
  for (const char* name : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) {
    if (const char* given = std::getenv(name))
      throw UserError(std::string(name) + ": got \"" + given +
                      "\"; expected a folder for temporary files");
  }
  throw UserError("TMPDIR: missing, and /tmp is no folder; expected a folder for temporary files");
}

fs::path private_temporary_folder(const std::string& name) {
  fs::path folder = temporary_place() / (name + "-" + std::to_string(geteuid()));
  if (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST)
    throw UserError(folder.string() + ": cannot be made: " + std::strerror(errno));
  struct stat state = {};
  const bool is_private = lstat(folder.c_str(), &state) == 0 && S_ISDIR(state.st_mode) &&
                          state.st_uid == geteuid() && (state.st_mode & (S_IRWXG | S_IRWXO)) == 0;
  if (!is_private)
    throw UserError(folder.string() +
                    ": expected a folder of yours that nobody else can read or "
                    "write; remove it, or set TMPDIR to another folder");
  return folder;
}

TempFolder::TempFolder(const std::string& kind) {
  signals_.emplace();
  make(kind, temporary_place());
}

TempFolder::TempFolder(const std::string& kind, const fs::path& place) { make(kind, place); }

void TempFolder::make(const std::string& kind, const fs::path& place) {
  remove_stale(place, kind);
  const std::string name = fs::absolute(place / (kind + "-XXXXXX")).string();
  Pipe told;
  Pipe pipe;
  guard_ = fork();
  // Signals to the owner's group must not reach the guard. Both processes call it.
  setpgid(guard_, guard_);
  if (guard_ == 0) {
    pipe.writing.reset();
    guard(name, told, pipe.reading);
  }
  alive_ = std::move(pipe.writing);
  told.writing.reset();
  const std::string answer = whole(told.reading);
  if (answer.empty() || answer.front() == kFailed) {
    end_guard();
    throw RunError(name + ": cannot be made: " +
                   (answer.empty() ? "no process to guard it" : answer.substr(1)));
  }
  path_ = answer;
  lock_ = locked(path_, LOCK_SH, 0);  // not closed on exec: child programs share it
  std::ofstream(path_ / kMark).flush();
}

TempFolder::~TempFolder() {
  lock_.reset();
  if (is_temporary(path_)) remove_when_free(path_, kTimeout);
  end_guard();
}

void TempFolder::end_guard() {
  if (guard_ <= 0) return;
  kill(guard_, SIGKILL);  // also when it is stopped
  while (waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) {
  }
  guard_ = 0;
}

void TempFolder::use() {
  const char* folder = std::getenv("TMPDIR");
  if (folder == nullptr || !is_temporary(folder)) return;
  static const FileDescriptor lock = locked(folder, LOCK_SH, O_CLOEXEC);
}

void TempFolder::keep() {
  end_guard();
  std::error_code ignored;
  fs::remove(path_ / kMark, ignored);
}

}  // namespace epochcast
