// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/files/file_descriptor.hpp"
#include "core/process/interruption.hpp"

namespace epochcast {

/// A pipe, closed on exec. Throws a RunError when none can be made.
struct Pipe {
  Pipe();
  FileDescriptor reading;
  FileDescriptor writing;
};

/// Where a child's streams go; -1: where this process's go. Its stdin is empty.
struct ChildFiles {
  int out = -1;
  int err = -1;
};

/// A process that this one started, with whatever it starts: the leader of a process group of its
/// own, so that a terminal's Ctrl-C reaches it through this process alone, and once.
///
/// It does not outlive this process: when a Child goes out of scope, its group gets SIGTERM and,
/// some seconds later or at the user's next signal, SIGKILL; when this process is killed, the child
/// gets a signal from the kernel. To be started by the thread that lives longest, in a SignalScope.
class Child {
 public:
  /// Starts a program, by its path or as found in PATH. Its exit status is 127 when there is none.
  /// Throws a RunError when no process can be made.
  static Child start(const std::vector<std::string>& words, const ChildFiles& files);
  /// Runs `work` in a copy of this process, which ends without destructors or exit handlers.
  static Child fork(const std::function<void()>& work);

  ~Child();
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// What waitpid() says, once the child has ended by itself; the rest of its group is killed.
  /// Throws Interrupted.
  [[nodiscard]] int wait();
  /// Asks the group to end. Many are asked first, then waited for by their destructors.
  void ask_to_end();

 private:
  explicit Child(pid_t pid) : pid_(pid) {}
  [[nodiscard]] bool has_ended();
  void end();

  pid_t pid_ = 0;  ///< 0: over
  std::optional<int> status_;
  std::optional<std::chrono::steady_clock::time_point> asked_;
};

/// How a process died, by what waitpid() says: "killed by signal 9 (Killed)" or "ended with exit
/// status 2"; empty for exit status 0.
[[nodiscard]] std::string death_of(int wait_status);

/// As a shell shows it: the exit status, or 128 + signal.
[[nodiscard]] int shell_status(int wait_status);

/// Reads what has arrived, at most 64 KiB; nothing at the end. Throws a RunError.
[[nodiscard]] std::string read_some(const FileDescriptor& file);

/// Hands over what comes until the end of the file. Throws Interrupted and RunError.
void read_until_end(const FileDescriptor& file,
                    const std::function<void(const std::string&)>& piece);

/// Waits until some of the files can be read, or are over, at most for `time`: which of them.
/// Throws Interrupted.
[[nodiscard]] std::vector<std::size_t> wait_for_input(
    const std::vector<int>& files, std::optional<std::chrono::milliseconds> time = std::nullopt);

}  // namespace epochcast
