// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <string>

namespace epochcast {

/// Progress of many equal tasks: a bar with the time left on a terminal, a plain line for every
/// tenth elsewhere. Says nothing about work that is over within half a second.
class Progress {
 public:
  Progress(std::ostream& out, bool is_terminal, std::string what, std::size_t total);
  /// Wipes the bar, so that what follows begins on a clean line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::size_t done);

 private:
  std::ostream& out_;
  bool is_terminal_;
  std::string what_;
  std::size_t total_;
  std::size_t shown_tenth_ = 0;
  bool has_bar_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace epochcast
