// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace epochcast {

/// Removes from mpirun's stderr its report of a job that we ended ourselves (our message gave the
/// reason), and the frames around other messages. All other text, such as progress bars, passes at
/// once.
class MpirunMessages {
 public:
  /// The part of the text to be shown now.
  [[nodiscard]] std::string feed(const std::string& text);
  /// The rest at the end.
  [[nodiscard]] std::string finish();

 private:
  [[nodiscard]] std::string take_line(const std::string& line);

  std::string partial_;      ///< of a line that may be mpirun's
  bool is_passing_ = false;  ///< the current line is not mpirun's
  bool is_framed_ = false;
  std::vector<std::string> framed_;  ///< lines of the message in the current frame
};

}  // namespace epochcast
