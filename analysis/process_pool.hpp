// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace epochcast {

/// Runs task(0) ... task(count - 1), each in a forked process of its own, at most `parallelism` at
/// a time.
///
/// A SimGrid engine can be made once per process, hence processes and not threads. `done(i,
/// output)` is called in this process as tasks finish, in any order; the output is absent when the
/// process died without returning one. Throws RunError when no process can be started.
void run_in_processes(std::size_t count,
                      std::size_t parallelism,
                      const std::function<std::string(std::size_t)>& task,
                      const std::function<void(std::size_t, std::optional<std::string>)>& done);

}  // namespace epochcast
