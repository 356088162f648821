// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>
#include <vector>

namespace epochcast {

/// How one of our programs or a task ended. The value is its exit status.
enum class Ending {
  done = 0,
  failed = 1,     ///< although its input was good; also any other status
  bad_input = 2,  ///< a UserError
  diverged = 3,   ///< Diverged: training of which a loss is not finite
  killed = 128,   ///< by a signal, whose number is added; also if it handles the signal and exits
};

/// The exit status for it; for `killed`, the signal's number is to be added.
[[nodiscard]] constexpr int status_of(Ending ending) { return static_cast<int>(ending); }
/// The exit status of a program that ends with this exception.
[[nodiscard]] int status_of(const std::exception& error);
/// The messages of such a program: the problems of a UserError; the path and the reason of a file
/// error; what() of any other exception.
[[nodiscard]] std::vector<std::string> problems_of(const std::exception& error);

/// The status of an ended process, as its parent gets it.
class ExitStatus {
 public:
  /// Of a process that is done.
  ExitStatus() = default;
  /// From the status of waitpid().
  explicit ExitStatus(int wait_status) : wait_status_(wait_status) {}

  /// As waitpid() has it.
  [[nodiscard]] int of_wait() const { return wait_status_; }
  /// The meaning for one of our programs.
  [[nodiscard]] Ending ending() const;
  /// As a shell shows it: the exit status, or 128 + signal.
  [[nodiscard]] int in_shell() const;
  /// "killed by signal 9 (Killed)" or "ended with exit status 2"; empty for 0.
  [[nodiscard]] std::string death() const;

 private:
  int wait_status_ = 0;
};

/// The meaning of an exit status as a shell shows it: mpirun passes on those of its ranks.
[[nodiscard]] Ending ending_of(int status_in_shell);

}  // namespace epochcast
