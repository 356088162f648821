// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/process/ending.hpp"

namespace epochcast {

/// What became of one task.
struct TaskAnswer {
  Ending ending = Ending::done;       ///< killed: its process died before the task could end
  std::string text;                   ///< what the task returned
  std::vector<std::string> problems;  ///< what it threw, or how its process died, such as "killed
                                      ///< by signal 9 (Killed)"
};

/// Runs task(0) ... task(count - 1), each in a forked process of its own, at most `parallelism` at
/// a time.
///
/// A SimGrid engine can be made once per process, hence processes and not threads. `done(i,
/// answer)` is called in this process as tasks finish, in any order. Throws RunError when no
/// process can be started, and Interrupted; the processes have ended then.
void run_in_processes(std::size_t count,
                      std::size_t parallelism,
                      const std::function<std::string(std::size_t)>& task,
                      const std::function<void(std::size_t, TaskAnswer)>& done);

/// What became of one program.
struct ProgramAnswer {
  ExitStatus status;
  std::string text;  ///< what it wrote to stdout
  std::string said;  ///< to stderr
};

/// Whether a program is to be started, asked when there is room for it.
enum class Turn {
  start,
  later,  ///< somebody else is at it: ask again
  never,  ///< it need not run; `done` is not called
};

/// The same for programs, path and arguments each; `line(i, text)` is called for each line of what
/// a program writes to stdout, as it comes.
void run_programs(const std::vector<std::vector<std::string>>& programs,
                  std::size_t parallelism,
                  const std::function<Turn(std::size_t)>& turn,
                  const std::function<void(std::size_t, const std::string&)>& line,
                  const std::function<void(std::size_t, ProgramAnswer)>& done);

}  // namespace epochcast
