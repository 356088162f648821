// SPDX-License-Identifier: Apache-2.0
#include "base/text/progress_bar.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <ostream>
#include <sstream>

#include "base/text/units.hpp"

namespace epochcast {

ProgressBar::ProgressBar(
    std::ostream& out, bool is_terminal, std::string what, double total, double first, Clock clock)
    : out_(out),
      is_terminal_(is_terminal),
      what_(std::move(what)),
      total_(total),
      first_(first),
      clock_(std::move(clock)) {}

ProgressBar::~ProgressBar() { wipe(); }

void ProgressBar::wipe() {
  if (has_bar_) out_ << "\r\033[K" << std::flush;
  has_bar_ = false;
}

void ProgressBar::say(const std::string& line) {
  wipe();
  out_ << line << '\n' << std::flush;
}

void ProgressBar::update(double done, const std::string& note) {
  constexpr double kQuietOnTerminal_s = 0.5;
  constexpr double kQuietInLog_s = 10;
  constexpr double kPause_s = 0.1;
  constexpr int kWidth = 30;
  const double elapsed_s = std::chrono::duration<double>(clock_() - start_).count();
  const double quiet_s = is_terminal_ ? kQuietOnTerminal_s : kQuietInLog_s;
  if (elapsed_s < quiet_s || total_ <= 0 || done <= first_) return;
  if (has_bar_ && elapsed_s < shown_s_ + kPause_s) return;
  const double share = std::min(1.0, done / total_);
  const double left_s = elapsed_s / (done - first_) * std::max(0.0, total_ - done);
  std::ostringstream counts;
  counts << what_ << ' ';
  if (total_ == 1) {
    counts << std::floor(100 * done) << " %";
  } else {
    counts << std::setprecision(6) << std::floor(100 * done) / 100 << '/' << total_;
  }
  counts << ", " << note << format_seconds(left_s) << " left";
  const int tenth = static_cast<int>(10 * share);
  if (is_terminal_) {
    const auto filled = static_cast<std::size_t>(kWidth * share);
    out_ << "\r[" << std::string(filled, '#') << std::string(kWidth - filled, '.') << "] "
         << counts.str() << "\033[K" << std::flush;
    has_bar_ = true;
    shown_s_ = elapsed_s;
  } else if (tenth > shown_tenth_) {
    shown_tenth_ = tenth;
    out_ << counts.str() << '\n' << std::flush;
  }
}

}  // namespace epochcast
