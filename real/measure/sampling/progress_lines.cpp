// SPDX-License-Identifier: Apache-2.0
#include "real/measure/sampling/progress_lines.hpp"

#include <fmt/core.h>

#include <cmath>
#include <string>

#include "base/text/units.hpp"

namespace epochcast::real {
namespace {

constexpr std::size_t kBarWidth = 30;
constexpr const char* kEraseLine = "\r\033[K";

}  // namespace

void ProgressLines::show(const MeasureProgress& progress) {
  const std::string left = "at most " + format_seconds(progress.at_most_left_s) + " left";
  const std::string percent = fmt::format("{:>3} %", std::lround(100 * progress.done));
  if (is_terminal_) {
    out_ << kEraseLine;
    if (!progress.finished.empty()) out_ << progress.point << ": " << progress.finished << '\n';
    const auto filled = static_cast<std::size_t>(progress.done * static_cast<double>(kBarWidth));
    const bool is_over = progress.done >= 1;
    if (!is_over) {
      out_ << '[' << std::string(filled, '=') << std::string(kBarWidth - filled, ' ') << "] "
           << percent << "  " << progress.point << ", " << left;
    }
  } else if (!progress.finished.empty()) {
    out_ << '[' << percent << "] " << progress.point << ": " << progress.finished << "; " << left
         << '\n';
  }
  out_.flush();
}

}  // namespace epochcast::real
