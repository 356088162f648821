// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/files/file_descriptor.hpp"
#include "base/process/child.hpp"

namespace epochcast {

/// A program that is loaded once and runs many times, each time in a fork of it: loading LibTorch
/// takes longer than a short rehearsal. The program calls serve_forks().
class ForkServer {
 public:
  /// Starts the program. Throws a RunError when no process can be made.
  explicit ForkServer(const std::vector<std::string>& words);

  /// A run of the program with these arguments and streams. Its exit status is that of the run, or
  /// Child::kNotStarted, with a message on `err`, if the program is not there.
  [[nodiscard]] Child start(const std::vector<std::string>& arguments, int out, int err) const;

 private:
  FileDescriptor requests_;
  Child program_;
};

/// Runs `run` with the arguments of each request that arrives on standard input, in a process of
/// its own, until the other side is closed. `run` returns the exit status. Call it before the
/// process has other threads. Throws a RunError when a request cannot be read.
void serve_forks(const std::function<int(const std::vector<std::string>& arguments)>& run);

}  // namespace epochcast
