// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.hpp"

#include <ostream>

#include "core/units.hpp"

namespace epochcast {

Progress::Progress(std::ostream& out, bool is_terminal, std::string what, std::size_t total)
    : out_(out), is_terminal_(is_terminal), what_(std::move(what)), total_(total) {}

Progress::~Progress() {
  if (has_bar_) out_ << "\r\033[K" << std::flush;
}

void Progress::update(std::size_t done) {
  constexpr double kQuiet_s = 0.5;
  constexpr std::size_t kWidth = 30;
  const double elapsed_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  if (elapsed_s < kQuiet_s || total_ == 0 || done == 0) return;
  const double left_s = elapsed_s / static_cast<double>(done) * static_cast<double>(total_ - done);
  const std::string counts = what_ + " " + std::to_string(done) + "/" + std::to_string(total_) +
                             ", " + format_seconds(left_s) + " left";
  if (is_terminal_) {
    const std::size_t filled = kWidth * done / total_;
    out_ << "\r[" << std::string(filled, '#') << std::string(kWidth - filled, '.') << "] " << counts
         << "\033[K" << std::flush;
    has_bar_ = true;
  } else if (10 * done / total_ > shown_tenth_) {
    shown_tenth_ = 10 * done / total_;
    out_ << counts << '\n' << std::flush;
  }
}

}  // namespace epochcast
