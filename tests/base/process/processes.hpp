// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <csignal>
#include <functional>

#include "base/process/child.hpp"
#include "tests/support/soon.hpp"

namespace epochcast::tests {

/// A process that runs the function and ends with its return value as exit status.
inline Child in_process(const std::function<int()>& work) {
  return Child::fork([&] {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);  // not Catch's
    return work();
  });
}

/// Kills it at once; its children detect that by themselves.
inline void kill_now(Child& process) {
  kill(process.pid(), SIGKILL);
  process.wait();
}

inline bool is_alive(pid_t pid) { return kill(pid, 0) == 0; }

}  // namespace epochcast::tests
