// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <iosfwd>
#include <string>

namespace epochcast {

/// ProgressBar of work that can be counted: a bar with the time left on a terminal, a plain line
/// for every tenth elsewhere. Prints nothing about work shorter than half a second on a terminal,
/// or ten seconds elsewhere.
class ProgressBar {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  ProgressBar(std::ostream& out,
              bool is_terminal,
              std::string what,
              double total,
              double first = 0,
              Clock clock = std::chrono::steady_clock::now);
  /// Erases the bar.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Changes the total amount of work.
  void set_total(double total) { total_ = total; }
  /// `note`: text beside the bar.
  void update(double done, const std::string& note = {});
  /// A line of its own, above the bar.
  void say(const std::string& line);
  /// Hides the bar until the next update, for other output on the terminal.
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
