// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace epochcast {

/// Takes out of mpirun's stderr what it says about our own ending of a job (our message has said
/// why), and the frames around the rest. Anything else passes at once, progress bars included.
class MpirunMessages {
 public:
  /// What of the next piece of text is to be shown now.
  [[nodiscard]] std::string feed(const std::string& text);
  /// What is left when there is no more.
  [[nodiscard]] std::string finish();

 private:
  [[nodiscard]] std::string take_line(const std::string& line);

  std::string partial_;      ///< of a line that may yet turn out to be mpirun's
  bool is_passing_ = false;  ///< the current line is known to be ours
  bool is_framed_ = false;
  std::vector<std::string> framed_;  ///< lines of the message in the current frame
};

}  // namespace epochcast
