// SPDX-License-Identifier: Apache-2.0
#include "analysis/process_pool.hpp"

#include <fcntl.h>
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
  std::string text = {};
  std::size_t told = 0;  ///< of text: lines that were passed on
};

/// What a process does, given the writing end of its pipe. Never returns.
using Start = std::function<void(std::size_t task, int output)>;

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

Process start(std::size_t index, const Start& run) {
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
    run(index, ends[1]);
    _exit(0);  // this process shares everything but its memory: no destructors, no atexit handlers
  }
  close(ends[1]);
  return {.task = index, .pid = pid, .output = ends[0]};
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
  const int code = WEXITSTATUS(status);
  return code == 0 ? "" : "ended with exit status " + std::to_string(code);
}

void tell_lines(Process& process,
                const std::function<void(std::size_t, const std::string&)>& line) {
  for (std::size_t end = 0; (end = process.text.find('\n', process.told)) != std::string::npos;) {
    line(process.task, process.text.substr(process.told, end - process.told));
    process.told = end + 1;
  }
}

void run_all(std::size_t count,
             std::size_t parallelism,
             const Start& run,
             const std::function<void(std::size_t, const std::string&)>& line,
             const std::function<void(std::size_t, TaskAnswer)>& done) {
  std::vector<Process> running;
  std::size_t next = 0;
  while (next < count || !running.empty()) {
    while (next < count && running.size() < std::max<std::size_t>(1, parallelism)) {
      running.push_back(start(next++, run));
    }
    std::vector<pollfd> polls;
    polls.reserve(running.size());
    for (const Process& process : running)
      polls.push_back({.fd = process.output, .events = POLLIN, .revents = 0});
    if (poll(polls.data(), polls.size(), -1) < 0 && errno != EINTR) fail("poll");
    for (std::size_t i = running.size(); i-- > 0;) {
      if (polls[i].revents == 0) continue;
      const bool has_more = read_some(running[i]);
      if (line) tell_lines(running[i], line);
      if (has_more) continue;
      Process process = std::move(running[i]);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
      std::string death = death_of(process);
      done(process.task, {.text = std::move(process.text), .death = std::move(death)});
    }
  }
}

}  // namespace

void run_in_processes(std::size_t count,
                      std::size_t parallelism,
                      const std::function<std::string(std::size_t)>& task,
                      const std::function<void(std::size_t, TaskAnswer)>& done) {
  const Start run = [&](std::size_t index, int output) { write_all(output, task(index)); };
  run_all(count, parallelism, run, {}, done);
}

void run_programs(const std::vector<ProgramCall>& calls,
                  std::size_t parallelism,
                  const std::function<void(std::size_t, const std::string&)>& line,
                  const std::function<void(std::size_t, TaskAnswer)>& done) {
  const Start run = [&](std::size_t index, int output) {
    const ProgramCall& call = calls[index];
    const int log = open(call.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    dup2(output, STDOUT_FILENO);
    if (log >= 0) dup2(log, STDERR_FILENO);
    std::vector<char*> words;
    words.reserve(call.words.size() + 1);
    for (const std::string& word : call.words) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    std::signal(SIGPIPE, SIG_DFL);
    execvp(words[0], words.data());
    std::perror(words[0]);
    _exit(127);
  };
  run_all(calls.size(), parallelism, run, line, done);
}

}  // namespace epochcast
