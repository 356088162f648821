// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include "core/process/child.hpp"

namespace epochcast::tests {

/// Waits until it is so; false when it is not after half a minute, which no machine needs.
inline bool soon(const std::function<bool()>& is_so) {
  using namespace std::chrono_literals;
  const auto end = std::chrono::steady_clock::now() + 30s;
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

/// A process that runs the function and ends with its exit status.
inline Child in_process(const std::function<int()>& work) {
  return Child::fork([&] {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);  // not Catch's
    return work();
  });
}

/// Kills it at once; what it has started learns of that by itself.
inline void kill_now(Child& process) {
  kill(process.pid(), SIGKILL);
  process.wait();
}

inline bool is_alive(pid_t pid) { return kill(pid, 0) == 0; }

}  // namespace epochcast::tests
