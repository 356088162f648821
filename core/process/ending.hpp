// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>
#include <vector>

namespace epochcast {

/// How a program of ours or a task has ended. The value is the exit status that says so.
enum class Ending {
  done = 0,
  failed = 1,     ///< although its input was good; any status that means nothing else
  bad_input = 2,  ///< a UserError
  diverged = 3,   ///< Diverged: training of which a loss is not finite
  killed = 128,   ///< by a signal, whose number is added; also when it ends by itself for that
};

/// The exit status for it; for `killed`, the signal's number is to be added.
[[nodiscard]] constexpr int status_of(Ending ending) { return static_cast<int>(ending); }
/// The exit status of a program that this has ended.
[[nodiscard]] int status_of(const std::exception& error);
/// What such a program says: the problems of a UserError; of files, the path and the reason; or
/// what any other exception says.
[[nodiscard]] std::vector<std::string> problems_of(const std::exception& error);

/// How a process has ended, as its parent learns it.
class ExitStatus {
 public:
  /// Of a process that is done.
  ExitStatus() = default;
  /// By what waitpid() says.
  explicit ExitStatus(int wait_status) : wait_status_(wait_status) {}

  /// What it means when the process is a program of ours.
  [[nodiscard]] Ending ending() const;
  /// As a shell shows it: what the process returned, or 128 + signal.
  [[nodiscard]] int in_shell() const;
  /// "killed by signal 9 (Killed)" or "ended with exit status 2"; empty for 0.
  [[nodiscard]] std::string death() const;

 private:
  int wait_status_ = 0;
};

/// What an exit status means, as a shell shows it: mpirun passes on those of its ranks.
[[nodiscard]] Ending ending_of(int status_in_shell);

}  // namespace epochcast
