// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <exception>
#include <string>

namespace epochcast {

/// The user ended this process with SIGINT, SIGTERM or SIGHUP while it waited. Caught in main: exit
/// status 128 + signal. Neither bad input nor a failed run: what catches those lets it pass.
class Interrupted : public std::exception {
 public:
  /// `kept`: what the user has now, for the message; may be empty.
  explicit Interrupted(int signal, const std::string& kept = {});

  [[nodiscard]] int signal() const { return signal_; }
  /// "ended by SIGINT", with what was kept.
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

 private:
  int signal_;
  std::string text_;
};

/// While one lives, SIGINT, SIGTERM and SIGHUP are noted, and thrown where this process waits: what
/// it has begun (children, temporary folders) is ended by destructors. Scopes may be nested; a
/// signal that nobody waited for ends the process with the outermost. SIGHUP stays ignored under
/// nohup.
class SignalScope {
 public:
  SignalScope();
  ~SignalScope();
  SignalScope(const SignalScope&) = delete;
  SignalScope& operator=(const SignalScope&) = delete;

  /// Readable once a signal has come: to be polled with what is waited for.
  [[nodiscard]] static int descriptor();
  /// Throws Interrupted when a signal has come.
  static void check();
  /// Waits for so long, or until another signal comes, and says whether one did.
  [[nodiscard]] static bool sleep(std::chrono::milliseconds time);
  /// In a forked process: signals do what they do by default, and reach nobody else's scope.
  static void leave_to_default();
};

}  // namespace epochcast
