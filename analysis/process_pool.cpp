// SPDX-License-Identifier: Apache-2.0
#include "analysis/process_pool.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <vector>

#include "core/error.hpp"

namespace epochcast {
namespace {

struct Process {
  std::size_t task = 0;
  pid_t pid = 0;
  int output = -1;  ///< reading end of the pipe
  std::string text;
};

[[noreturn]] void fail(const char* call) {
  throw RunError(std::string(call) + ": " + std::strerror(errno));
}

void write_all(int file, const std::string& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = write(file, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) _exit(1);
    written += static_cast<std::size_t>(count);
  }
}

Process start(std::size_t index, const std::function<std::string(std::size_t)>& task) {
  int ends[2];
  if (pipe(ends) != 0) fail("pipe");
  std::cout.flush();
  std::cerr.flush();
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid < 0) fail("fork");
  if (pid == 0) {
    close(ends[0]);
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody would read the answer
    write_all(ends[1], task(index));
    _exit(0);  // this process shares everything but its memory: no destructors, no atexit handlers
  }
  close(ends[1]);
  return {.task = index, .pid = pid, .output = ends[0], .text = {}};
}

/// Reads what has arrived. Returns false at the end of the output.
bool read_some(Process& process) {
  char buffer[65536];
  const ssize_t count = read(process.output, buffer, sizeof(buffer));
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  process.text.append(buffer, static_cast<std::size_t>(count));
  return count > 0;
}

/// How the process died; empty when it did its task.
std::string death_of(const Process& process) {
  close(process.output);
  int status = 0;
  while (waitpid(process.pid, &status, 0) < 0) {
    if (errno != EINTR) return "lost";
  }
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return "killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
  }
  return WEXITSTATUS(status) == 0 ? "" : "ended early";
}

}  // namespace

void run_in_processes(std::size_t count,
                      std::size_t parallelism,
                      const std::function<std::string(std::size_t)>& task,
                      const std::function<void(std::size_t, TaskAnswer)>& done) {
  std::vector<Process> running;
  std::size_t next = 0;
  while (next < count || !running.empty()) {
    while (next < count && running.size() < std::max<std::size_t>(1, parallelism)) {
      running.push_back(start(next++, task));
    }
    std::vector<pollfd> polls;
    polls.reserve(running.size());
    for (const Process& process : running)
      polls.push_back({.fd = process.output, .events = POLLIN, .revents = 0});
    if (poll(polls.data(), polls.size(), -1) < 0 && errno != EINTR) fail("poll");
    for (std::size_t i = running.size(); i-- > 0;) {
      if (polls[i].revents == 0 || read_some(running[i])) continue;
      Process process = std::move(running[i]);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
      std::string death = death_of(process);
      done(process.task, {.text = std::move(process.text), .death = std::move(death)});
    }
  }
}

}  // namespace epochcast
