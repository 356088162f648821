// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "tests/cli/program.hpp"

namespace epochcast::tests {

/// `epochcast` in a folder, as a terminal starts it: in a process group of its own, with its own
/// $TMPDIR and cache there. What its processes leave behind becomes this process's.
class RunningProgram {
 public:
  RunningProgram(const Folder& folder, const std::string& arguments);
  ~RunningProgram();
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Whether it has ended.
  [[nodiscard]] bool has_ended();
  /// Its exit status, or 128 + signal; 0 before it has ended.
  [[nodiscard]] int status();
  /// It and all that it has started, directly or not; what has ended is not there.
  [[nodiscard]] static std::vector<pid_t> processes();
  /// "12 epochcast-run --rank" for each of them, for messages.
  [[nodiscard]] static std::string process_text();

 private:
  Child child_;
  pid_t pid_;
};

}  // namespace epochcast::tests
