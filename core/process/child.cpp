// SPDX-License-Identifier: Apache-2.0
#include "core/process/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <thread>

#include "core/error.hpp"

namespace epochcast {
namespace {

using namespace std::chrono_literals;

/// From SIGTERM to SIGKILL. mpirun gives its ranks one second, then removes its files.
constexpr auto kGrace = 5s;
/// Within it a second signal is the first one's echo: `timeout` signals a process, then its group.
constexpr auto kEcho = 1s;
constexpr auto kGlance = 5ms;  ///< between looks whether a child has ended
constexpr int kNotStarted = 127;

[[noreturn]] void fail(const char* call) {
  throw RunError(std::string(call) + ": " + std::strerror(errno));
}

/// What every new process does first. `death_signal`: what it gets when its parent dies.
void settle(pid_t parent, int death_signal) {
  setpgid(0, 0);
  SignalScope::leave_to_default();
  std::signal(SIGPIPE, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, death_signal);
  if (getppid() != parent) _exit(1);  // it died before it could be watched
  const int nowhere = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nowhere >= 0) dup2(nowhere, STDIN_FILENO);
}

pid_t fork_settled(int death_signal) {
  std::cout.flush();
  std::cerr.flush();
  std::fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) fail("fork");
  if (pid == 0) settle(parent, death_signal);
  if (pid > 0) setpgid(pid, pid);  // whoever is first: signals must reach the group from here on
  return pid;
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    reset();
    number_ = std::exchange(other.number_, -1);
  }
  return *this;
}

void Descriptor::reset() {
  if (number_ >= 0) close(number_);
  number_ = -1;
}

Pipe::Pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe");
  reading = Descriptor(ends[0]);
  writing = Descriptor(ends[1]);
}

Child Child::start(const std::vector<std::string>& words, const ChildFiles& files) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t pid = fork_settled(SIGTERM);  // a program may have something to clean up
  if (pid > 0) return Child(pid);
  if (files.out >= 0) dup2(files.out, STDOUT_FILENO);
  if (files.err >= 0) dup2(files.err, STDERR_FILENO);
  execvp(arguments[0], arguments.data());
  std::cerr << "epochcast: " << words[0] << ": cannot be started: " << std::strerror(errno) << '\n';
  _exit(kNotStarted);
}

Child Child::fork(const std::function<void()>& work) {
  const pid_t pid = fork_settled(SIGKILL);
  if (pid > 0) return Child(pid);
  work();
  _exit(0);
}

Child::~Child() { end(); }

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), status_(other.status_), asked_(other.asked_) {}

Child& Child::operator=(Child&& other) noexcept {
  if (this != &other) {
    end();
    pid_ = std::exchange(other.pid_, 0);
    status_ = other.status_;
    asked_ = other.asked_;
  }
  return *this;
}

bool Child::has_ended() {
  if (status_) return true;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
  return status_.has_value();
}

int Child::wait() {
  while (!has_ended()) {
    SignalScope::check();
    static_cast<void>(SignalScope::sleep(kGlance));
  }
  kill(-pid_, SIGKILL);  // while it has members, the group's number is not given to others
  pid_ = 0;
  return *status_;
}

void Child::ask_to_end() {
  if (pid_ == 0 || asked_) return;
  kill(-pid_, SIGTERM);
  kill(-pid_, SIGCONT);  // a stopped process would not hear
  asked_ = std::chrono::steady_clock::now();
}

void Child::end() {
  if (pid_ == 0) return;
  ask_to_end();
  const auto is_over = [&] { return has_ended() && kill(-pid_, 0) != 0; };
  while (!is_over() && std::chrono::steady_clock::now() < *asked_ + kGrace) {
    const bool is_signalled = SignalScope::sleep(kGlance);
    if (is_signalled && std::chrono::steady_clock::now() > *asked_ + kEcho) break;
  }
  kill(-pid_, SIGKILL);
  while (!has_ended()) std::this_thread::sleep_for(kGlance);
  pid_ = 0;
}

std::string death_of(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    const int signal = WTERMSIG(wait_status);
    return "killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
  }
  const int code = WEXITSTATUS(wait_status);
  return code == 0 ? "" : "ended with exit status " + std::to_string(code);
}

int shell_status(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

std::string read_some(const Descriptor& file) {
  std::string piece(65536, '\0');
  ssize_t size = -1;
  do {
    size = read(file.number(), piece.data(), piece.size());
  } while (size < 0 && errno == EINTR);
  if (size < 0) fail("read");
  piece.resize(static_cast<std::size_t>(size));
  return piece;
}

void read_until_end(const Descriptor& file, const std::function<void(const std::string&)>& piece) {
  while (true) {
    if (wait_for_input({file.number()}).empty()) continue;
    const std::string text = read_some(file);
    if (text.empty()) return;
    piece(text);
  }
}

std::vector<std::size_t> wait_for_input(const std::vector<int>& files,
                                        std::optional<std::chrono::milliseconds> time) {
  std::vector<pollfd> polls;
  polls.reserve(files.size() + 1);
  for (const int file : files) polls.push_back({.fd = file, .events = POLLIN, .revents = 0});
  polls.push_back({.fd = SignalScope::descriptor(), .events = POLLIN, .revents = 0});
  const int most_ms = time ? static_cast<int>(time->count()) : -1;
  int count = -1;
  while (count < 0) {
    SignalScope::check();
    count = poll(polls.data(), polls.size(), most_ms);
    if (count < 0 && errno != EINTR) fail("poll");
  }
  SignalScope::check();
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (polls[i].revents != 0) ready.push_back(i);
  }
  return ready;
}

}  // namespace epochcast
