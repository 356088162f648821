// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <exception>
#include <string>

namespace epochcast {

/// The user ended this process with SIGINT, SIGTERM or SIGHUP while it waited. Caught in main: exit
/// status 128 + signal. Neither a UserError nor a RunError: handlers of those let it pass.
class Interrupted : public std::exception {
 public:
  /// `kept`: the results that were kept, for the message; may be empty.
  explicit Interrupted(int signal, const std::string& kept = {});

  [[nodiscard]] int signal() const { return signal_; }
  /// "ended by SIGINT", with what was kept.
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

 private:
  int signal_;
  std::string text_;
};

/// While one lives, SIGINT, SIGTERM and SIGHUP are recorded, and thrown as Interrupted where this
/// process waits; destructors then end children and remove temporary folders. Scopes may be nested;
/// a signal that was not thrown ends the process at the end of the outermost scope. SIGHUP stays
/// ignored under nohup.
class SignalScope {
 public:
  SignalScope();
  ~SignalScope();
  SignalScope(const SignalScope&) = delete;
  SignalScope& operator=(const SignalScope&) = delete;

  /// Readable after a signal: to be polled with other descriptors.
  [[nodiscard]] static int descriptor();
  /// Throws Interrupted when a signal has come.
  static void check();
  /// Waits for `time` or until another signal; returns whether there was one.
  [[nodiscard]] static bool sleep(std::chrono::milliseconds time);
  /// In a forked process: restores default signal handling.
  static void leave_to_default();
};

}  // namespace epochcast
