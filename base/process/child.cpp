// SPDX-License-Identifier: Apache-2.0
#include "base/process/child.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <thread>
#include <utility>

#include "base/files/file_descriptor.hpp"
#include "base/process/interruption.hpp"
#include "base/process/pipe.hpp"
#include "base/process/system_call.hpp"

namespace epochcast {
namespace {

using namespace std::chrono_literals;

/// From SIGTERM to SIGKILL. mpirun gives its ranks one second, then removes its files.
constexpr auto kGrace = 5s;
/// Within it a second signal counts as the first one: `timeout` signals a process, then its group.
constexpr auto kRepeatedSignal = 1s;
constexpr auto kChildPollInterval = 5ms;  ///< between polls, without a pidfd

/// The first steps of every new process. `death_signal`: sent to it when its parent dies.
void prepare_child(pid_t parent, int death_signal) {
  setpgid(0, 0);
  SignalScope::leave_to_default();
  std::signal(SIGPIPE, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, death_signal);
  if (getppid() != parent)
    _exit(status_of(Ending::failed));  // the parent died before it could be watched
  const int nowhere = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nowhere >= 0) dup2(nowhere, STDIN_FILENO);
}

pid_t fork_prepared(int death_signal) {
  std::cout.flush();
  std::cerr.flush();
  std::fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) fail_call("fork");
  if (pid == 0) prepare_child(parent, death_signal);
  if (pid > 0)
    setpgid(pid, pid);  // both processes call it: signals must reach the group from here on
  return pid;
}

}  // namespace

Child Child::start(const std::vector<std::string>& words, const ChildFiles& files) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t pid = fork_prepared(SIGTERM);  // SIGTERM: a program may have to clean up
  if (pid > 0) return Child(pid);
  if (files.in >= 0) dup2(files.in, STDIN_FILENO);
  if (files.out >= 0) dup2(files.out, STDOUT_FILENO);
  if (files.err >= 0) dup2(files.err, STDERR_FILENO);
  execvp(arguments[0], arguments.data());
  std::cerr << "epochcast: " << words[0] << ": cannot be started: " << std::strerror(errno) << '\n';
  _exit(kNotStarted);
}

Child Child::fork(const std::function<int()>& work) {
  const pid_t pid = fork_prepared(SIGKILL);
  if (pid > 0) return Child(pid);
  // noexcept: no exception may reach the code of the parent.
  _exit([&]() noexcept { return work(); }());
}

Child::~Child() { end(); }

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)),
      status_(other.status_),
      used_(other.used_),
      asked_(other.asked_) {}

Child& Child::operator=(Child&& other) noexcept {
  if (this != &other) {
    end();
    pid_ = std::exchange(other.pid_, 0);
    status_ = other.status_;
    used_ = other.used_;
    asked_ = other.asked_;
  }
  return *this;
}

bool Child::has_ended() {
  if (status_) return true;
  int status = 0;
  if (wait4(pid_, &status, WNOHANG, &used_) == pid_) status_ = ExitStatus(status);
  return status_.has_value();
}

ExitStatus Child::wait() {
  if (!has_ended()) {
    // Closed on exec; glibc 2.36 declares its pidfd_open() for C alone.
    const FileDescriptor end(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
    const bool is_old_kernel = !end.is_open();
    const auto most = is_old_kernel ? std::optional(kChildPollInterval) : std::nullopt;
    while (!has_ended()) static_cast<void>(wait_for_input({end.number()}, most));
  }
  if (pid_ > 0) kill(-pid_, SIGKILL);  // while it has members, its number is not reused
  pid_ = 0;
  return *status_;
}

void Child::ask_to_end() {
  if (pid_ == 0 || asked_) return;
  kill(-pid_, SIGTERM);
  kill(-pid_, SIGCONT);  // a stopped process would not handle the signal
  asked_ = std::chrono::steady_clock::now();
}

void Child::end() {
  if (pid_ == 0) return;
  ask_to_end();
  const auto is_over = [&] { return has_ended() && kill(-pid_, 0) != 0; };
  while (!is_over() && std::chrono::steady_clock::now() < *asked_ + kGrace) {
    const bool is_signalled = SignalScope::sleep(kChildPollInterval);
    if (is_signalled && std::chrono::steady_clock::now() > *asked_ + kRepeatedSignal) break;
  }
  kill(-pid_, SIGKILL);
  while (!has_ended()) std::this_thread::sleep_for(kChildPollInterval);
  pid_ = 0;
}

}  // namespace epochcast
