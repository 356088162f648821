// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <iosfwd>
#include <string>

namespace epochcast {

/// ProgressBar of work that can be counted: a bar with the time left on a terminal, a plain line
/// for every tenth elsewhere. Says nothing about work that is over within half a second on a
/// terminal, within ten elsewhere: whoever reads a log was not waiting.
class ProgressBar {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  ProgressBar(std::ostream& out,
              bool is_terminal,
              std::string what,
              double total,
              double first = 0,
              Clock clock = std::chrono::steady_clock::now);
  /// Wipes the bar, so that what follows begins on a clean line.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// More work has turned up, or less is left: all there is by now.
  void set_total(double total) { total_ = total; }
  /// `note`: what else the bar says.
  void update(double done, const std::string& note = {});
  /// A line of its own, above the bar.
  void say(const std::string& line);
  /// Takes the bar away until the next update: something else writes to the terminal.
  void wipe();

 private:
  std::ostream& out_;
  bool is_terminal_;

  std::string what_;
  double total_;
  double first_;  ///< done before this process began
  int shown_tenth_ = 0;
  bool has_bar_ = false;
  double shown_s_ = 0;  ///< since the start, when the bar was last drawn
  Clock clock_;
  std::chrono::steady_clock::time_point start_ = clock_();
};

}  // namespace epochcast
