// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "tests/cli/program.hpp"

namespace epochcast::tests {

/// `epochcast` in a folder, started as by a terminal: in its own process group, with its own
/// $TMPDIR and cache there. This process adopts its orphans.
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
  /// It and all its descendants that have not ended.
  [[nodiscard]] static std::vector<pid_t> processes();
  /// "12 epochcast-run --rank" for each of them, for messages.
  [[nodiscard]] static std::string process_text();

 private:
  Child child_;
  pid_t pid_;
};

}  // namespace epochcast::tests
