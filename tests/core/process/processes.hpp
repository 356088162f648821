// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

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

/// Starts a process that runs the function and ends with its exit status.
inline pid_t in_process(const std::function<int()>& work) {
  const pid_t pid = fork();
  if (pid > 0) return pid;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);  // not Catch's
  _exit(work());
}

/// What waitpid() says, once it has ended.
inline int ended(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return status;
}

inline bool is_alive(pid_t pid) { return kill(pid, 0) == 0; }

}  // namespace epochcast::tests
