// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/mpirun_messages.hpp"

#include <algorithm>
#include <regex>
#include <utility>

namespace epochcast {
namespace {

/// Whether this may be the begin of a line by mpirun.
bool may_be_mpiruns(const std::string& begin) {
  const std::string dashes(10, '-');
  return begin.empty() || begin[0] == '[' || begin.starts_with(dashes.substr(0, begin.size()));
}

bool is_frame(const std::string& line) {
  return line.size() > 50 && line.find_first_not_of('-') == std::string::npos;
}

bool is_about_our_ending(const std::vector<std::string>& lines) {
  return std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.starts_with("MPI_ABORT was invoked") ||
           line.starts_with("Primary job  terminated normally") ||
           line.starts_with("mpirun detected that one or more processes exited with non-zero");
  });
}

}  // namespace

std::string death_text(const RankDeath& death) {
  if (!death.rank) return "the connection to mpirun's daemon on " + death.host + " was lost";
  return "rank " + std::to_string(*death.rank) + " on " + death.host + " was killed by " +
         death.signal;
}

bool MpirunMessages::takes_death() {
  static const std::regex died(
      "mpirun noticed that process rank ([0-9]{1,6}) with PID [0-9]+ on node (\\S{1,300}) exited "
      "on "
      "(signal [0-9]+ \\([^)]{1,100}\\))\\.");
  constexpr std::size_t kLongestLine = 1000;  // std::regex may overflow the stack
  static const std::regex lost("  Remote daemon: \\S{1,100} on node (\\S{1,300})");
  for (const std::string& line : framed_) {
    if (line.size() > kLongestLine) continue;
    std::optional<RankDeath> death;
    std::smatch match;
    if (std::regex_match(line, match, died))
      death = {.rank = std::stoi(match[1]), .host = match[2], .signal = match[3]};
    else if (std::regex_match(line, match, lost))
      death = {.rank = std::nullopt, .host = match[1]};
    if (!death) continue;
    if (!death_) death_ = death;
    return true;
  }
  return false;
}

std::string MpirunMessages::take_line(const std::string& line) {
  if (is_frame(line)) {
    is_framed_ = !is_framed_;
    if (is_framed_) return {};
    std::string text;
    if (!is_about_our_ending(framed_) && !takes_death()) {
      for (const std::string& each : framed_) text += each + "\n";
    }
    framed_.clear();
    return text;
  }
  if (is_framed_) {
    framed_.push_back(line);
    return {};
  }
  const bool is_hint = line.find("sent help message") != std::string::npos ||
                       line.find("orte_base_help_aggregate") != std::string::npos ||
                       line.find("ORTE_ERROR_LOG") != std::string::npos;
  return is_hint ? std::string() : line + "\n";
}

std::string MpirunMessages::feed(const std::string& text) {
  std::string shown;
  for (const char c : text) {
    if (is_passing_) {
      shown += c;
      is_passing_ = c != '\n';
    } else if (c == '\n') {
      shown += take_line(partial_);
      partial_.clear();
    } else {
      partial_ += c;
      if (is_framed_ || may_be_mpiruns(partial_)) continue;
      shown += partial_;
      partial_.clear();
      is_passing_ = true;
    }
  }
  return shown;
}

std::string MpirunMessages::finish() {
  std::string shown;
  for (const std::string& line : framed_) shown += line + "\n";
  framed_.clear();
  return shown + std::exchange(partial_, {});
}

}  // namespace epochcast
