// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/process/ending.hpp"

namespace epochcast {

/// A child's streams: descriptors of this process. All other descriptors should be closed on exec.
struct ChildFiles {
  int in = -1;   ///< -1: there is nothing to read
  int out = -1;  ///< -1: where this process's goes
  int err = -1;  ///< the same
};

/// A process that this one started, with whatever it starts: the leader of a process group of its
/// own, so that a terminal's Ctrl-C reaches it through this process alone, and once.
///
/// It does not outlive this process: when a Child goes out of scope, its group gets SIGTERM and,
/// some seconds later or at the user's next signal, SIGKILL; when this process is killed, the child
/// gets a signal from the kernel. To be started by the thread that lives longest, in a SignalScope.
class Child {
 public:
  /// The exit status of a program that cannot be started.
  static constexpr int kNotStarted = 127;

  /// Starts a program, by its path or as found in PATH. Throws a RunError when no process can be
  /// made.
  static Child start(const std::vector<std::string>& words, const ChildFiles& files = {});
  /// Runs `work` in a copy of this process, which ends with the exit status that it returns,
  /// without destructors or exit handlers. What `work` throws is a bug, and ends that process.
  static Child fork(const std::function<int()>& work);

  ~Child();
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Whether it has ended by itself.
  [[nodiscard]] bool has_ended();
  /// How it ended, once it has by itself; the rest of its group is killed. Throws Interrupted.
  ExitStatus wait();
  /// What it used, with all that it waited for, once it has ended.
  [[nodiscard]] const rusage& used() const { return used_; }
  /// Asks the group to end. Many are asked first, then waited for by their destructors.
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
