// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace epochcast {

/// What became of one task.
struct TaskAnswer {
  std::string text;   ///< what the task returned
  std::string death;  ///< how its process ended before it could return, such as "killed by signal 9
                      ///< (Killed)"; else empty
  std::string said;   ///< by a program, to stderr
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

/// Whether a program is to be started, asked when there is room for it.
enum class Turn {
  start,
  later,  ///< somebody else is at it: ask again
  never,  ///< it need not run; `done` is not called
};

/// The same for programs, path and arguments each: what they write to stdout is the answer, and
/// `line(i, text)` is called for each line of it as it comes.
void run_programs(const std::vector<std::vector<std::string>>& programs,
                  std::size_t parallelism,
                  const std::function<Turn(std::size_t)>& turn,
                  const std::function<void(std::size_t, const std::string&)>& line,
                  const std::function<void(std::size_t, TaskAnswer)>& done);

}  // namespace epochcast
