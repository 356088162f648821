// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/process/child.hpp"
#include "base/process/pipe.hpp"

namespace epochcast::tests {

/// The outcome of one run of a program.
struct Outcome {
  int status = 0;  ///< exit status, or 128 + signal, as in a shell
  std::string out;
  std::string err;
  double peak_bytes = 0;  ///< resident, of its largest process
};

/// Runs a program to its end, found in PATH or by its path. `out`: its stdout; -1: it is
/// captured.
inline Outcome run_program(const std::vector<std::string>& words, int out = -1) {
  constexpr double kKib = 1024;
  const FileDescriptor captured = unnamed_file();
  const FileDescriptor err = unnamed_file();
  Child child =
      Child::start(words, {.out = out >= 0 ? out : captured.number(), .err = err.number()});
  const int status = child.wait().in_shell();
  return {.status = status,
          .out = text_of(captured),
          .err = text_of(err),
          .peak_bytes = kKib * static_cast<double>(child.used().ru_maxrss)};
}

}  // namespace epochcast::tests
