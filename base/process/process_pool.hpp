// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/process/child.hpp"
#include "base/process/ending.hpp"

namespace epochcast {

/// The outcome of one task.
struct TaskAnswer {
  Ending ending = Ending::done;       ///< killed: its process died before the task could end
  std::string text;                   ///< the result of the task
  std::vector<std::string> problems;  ///< of its exception, or the end of its process, such as
                                      ///< "killed by signal 9 (Killed)"
};

/// Whether to start a task or program, decided when there is room for it.
enum class Turn {
  start,
  later,  ///< another process works on it: decide again
  never,  ///< it need not run; `done` is not called
};

[[nodiscard]] inline Turn start_now(std::size_t /*task*/) { return Turn::start; }

/// Runs task(0) ... task(count - 1), each in a forked process of its own, at most `parallelism` at
/// a time.
///
/// Processes, not threads: a process can have one SimGrid engine only. `done(i, answer)` is called
/// in this process as tasks finish, in any order. Throws RunError when no process can be started,
/// and Interrupted, after all processes have ended.
void run_in_processes(std::size_t count,
                      std::size_t parallelism,
                      const std::function<std::string(std::size_t)>& task,
                      const std::function<void(std::size_t, TaskAnswer)>& done,
                      const std::function<Turn(std::size_t)>& turn = start_now);

/// The outcome of one program.
struct ProgramAnswer {
  ExitStatus status;
  std::string text;      ///< output on stdout
  std::string messages;  ///< output on stderr
};

/// Starts the i-th program with these streams.
using StartProgram = std::function<Child(std::size_t i, const ChildFiles& files)>;

/// The same for programs; `line(i, text)` is called for each line on a program's stdout, as it
/// arrives.
void run_programs(std::size_t count,
                  std::size_t parallelism,
                  const StartProgram& start,
                  const std::function<Turn(std::size_t)>& turn,
                  const std::function<void(std::size_t, const std::string&)>& line,
                  const std::function<void(std::size_t, ProgramAnswer)>& done);

}  // namespace epochcast
