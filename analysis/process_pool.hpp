// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace epochcast {

/// What became of one task.
struct TaskAnswer {
  std::string text;   ///< what the task returned
  std::string death;  ///< how its process ended before it could return, such as "killed by signal 9
                      ///< (Killed)"; else empty
};

/// Runs task(0) ... task(count - 1), each in a forked process of its own, at most `parallelism` at
/// a time.
///
/// A SimGrid engine can be made once per process, hence processes and not threads. `done(i,
/// answer)` is called in this process as tasks finish, in any order. Throws RunError when no
/// process can be started.
void run_in_processes(std::size_t count,
                      std::size_t parallelism,
                      const std::function<std::string(std::size_t)>& task,
                      const std::function<void(std::size_t, TaskAnswer)>& done);

/// A program to run.
struct ProgramCall {
  std::vector<std::string> words;  ///< path and arguments
  std::filesystem::path log;       ///< gets its stderr
};

/// The same for programs: what they write to stdout is the answer, and `line(i, text)` is called
/// for each line of it as it comes.
void run_programs(const std::vector<ProgramCall>& calls,
                  std::size_t parallelism,
                  const std::function<void(std::size_t, const std::string&)>& line,
                  const std::function<void(std::size_t, TaskAnswer)>& done);

}  // namespace epochcast
