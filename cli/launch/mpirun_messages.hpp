// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace epochcast {

/// The first thing of a job that mpirun noticed to be gone.
struct RankDeath {
  std::optional<int> rank;  ///< absent: mpirun's daemon on that machine
  std::string host;
  std::string signal = {};  ///< "signal 9 (Killed)"; empty for a daemon

  bool operator==(const RankDeath&) const = default;
};

/// "rank 3 on node1 was killed by signal 9 (Killed)".
[[nodiscard]] std::string death_text(const RankDeath& death);

/// Removes from mpirun's stderr its report of a job that we ended ourselves (our message gave the
/// reason), that of a rank's or daemon's death, which it keeps, and the frames around other
/// messages. All other text, such as progress bars, passes at once.
class MpirunMessages {
 public:
  /// The part of the text to be shown now.
  [[nodiscard]] std::string feed(const std::string& text);
  /// The rest at the end.
  [[nodiscard]] std::string finish();
  /// Absent if none was killed.
  [[nodiscard]] const std::optional<RankDeath>& death() const { return death_; }

 private:
  [[nodiscard]] std::string take_line(const std::string& line);
  /// Whether the message in the current frame is about a death, which is then kept.
  [[nodiscard]] bool takes_death();

  std::string partial_;      ///< of a line that may be mpirun's
  bool is_passing_ = false;  ///< the current line is not mpirun's
  bool is_framed_ = false;
  std::optional<RankDeath> death_;
  std::vector<std::string> framed_;  ///< lines of the message in the current frame
};

}  // namespace epochcast
