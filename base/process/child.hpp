// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/process/ending.hpp"

namespace epochcast {

/// A child's streams: descriptors of this process. All other descriptors should be closed on exec.
struct ChildFiles {
  int in = -1;   ///< -1: no input
  int out = -1;  ///< -1: inherited from this process
  int err = -1;  ///< the same
};

/// A child process with its descendants: the leader of its own process group, so a terminal's
/// Ctrl-C reaches it once, through this process.
///
/// It does not outlive this process: when a Child goes out of scope, its group gets SIGTERM and,
/// some seconds later or at the user's next signal, SIGKILL; when this process is killed, the child
/// gets a signal from the kernel. Start it from the thread that lives longest, in a SignalScope.
class Child {
 public:
  /// The exit status of a program that cannot be started.
  static constexpr int kNotStarted = 127;

  /// Starts a program, by its path or as found in PATH. Throws a RunError when no process can be
  /// made.
  static Child start(const std::vector<std::string>& words, const ChildFiles& files = {});
  /// Runs `work` in a copy of this process, which ends with the exit status that it returns,
  /// without destructors or exit handlers. An exception of `work` is a bug, and ends that process.
  static Child fork(const std::function<int()>& work);

  ~Child();
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Whether it has ended by itself.
  [[nodiscard]] bool has_ended();
  /// Waits for its end and returns its status; kills the rest of its group. Throws Interrupted.
  ExitStatus wait();
  /// Its resource usage with that of its waited-for children, after its end.
  [[nodiscard]] const rusage& used() const { return used_; }
  /// Sends the group SIGTERM without waiting; the destructor waits.
  void ask_to_end();

 private:
  explicit Child(pid_t pid) : pid_(pid) {}
  void end();

  pid_t pid_ = 0;  ///< 0: over
  std::optional<ExitStatus> status_;
  rusage used_ = {};
  std::optional<std::chrono::steady_clock::time_point> asked_;
};

}  // namespace epochcast
