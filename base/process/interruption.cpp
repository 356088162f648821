// SPDX-License-Identifier: Apache-2.0
#include "base/process/interruption.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/error.hpp"

namespace epochcast {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

// All that the signal handler uses: a pipe that wakes poll(), and the signal.
std::array<int, 2> wake_ends = {-1, -1};
volatile std::sig_atomic_t noted_signal = 0;
std::array<struct sigaction, kSignals.size()> actions_before = {};
int scopes = 0;

void note(int signal) {
  const int error = errno;
  noted_signal = signal;
  const char byte = 0;
  static_cast<void>(write(wake_ends[1], &byte, 1) == 1);  // a full pipe wakes as well
  errno = error;
}

/// "SIGINT".
std::string name_of(int signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? "signal " + std::to_string(signal) : std::string("SIG") + name;
}

}  // namespace

Interrupted::Interrupted(int signal, const std::string& kept)
    : signal_(signal), text_("ended by " + name_of(signal) + (kept.empty() ? "" : "; " + kept)) {}

SignalScope::SignalScope() {
  if (scopes++ > 0) return;
  if (wake_ends[0] < 0 && pipe2(wake_ends.data(), O_CLOEXEC | O_NONBLOCK) != 0)
    throw RunError(std::string("pipe: ") + std::strerror(errno));
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction action = {};
    action.sa_handler = note;
    sigemptyset(&action.sa_mask);
    sigaction(kSignals[i], &action, &actions_before[i]);
    const bool is_ignored = kSignals[i] == SIGHUP && actions_before[i].sa_handler == SIG_IGN;
    if (is_ignored) sigaction(kSignals[i], &actions_before[i], nullptr);
  }
}

SignalScope::~SignalScope() {
  if (--scopes > 0) return;
  for (std::size_t i = 0; i < kSignals.size(); ++i)
    sigaction(kSignals[i], &actions_before[i], nullptr);
  if (noted_signal != 0 && std::uncaught_exceptions() == 0) std::raise(noted_signal);
}

int SignalScope::descriptor() { return wake_ends[0]; }

void SignalScope::check() {
  if (noted_signal != 0) throw Interrupted(noted_signal);
}

bool SignalScope::sleep(std::chrono::milliseconds time) {
  std::array<char, 64> bytes{};
  while (read(wake_ends[0], bytes.data(), bytes.size()) > 0) {
    // Earlier signals.
  }
  pollfd wake = {.fd = wake_ends[0], .events = POLLIN, .revents = 0};
  if (poll(&wake, 1, static_cast<int>(time.count())) >= 0) return wake.revents != 0;
  return poll(&wake, 1, 0) > 0;  // interrupted, perhaps by one of ours
}

void SignalScope::leave_to_default() {
  for (const int signal : kSignals) {
    struct sigaction now = {};
    sigaction(signal, nullptr, &now);
    if (now.sa_handler == note) std::signal(signal, SIG_DFL);
  }
  noted_signal = 0;
  for (int& end : wake_ends) {
    if (end >= 0) close(end);
    end = -1;
  }
}

}  // namespace epochcast
