// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>

namespace epochcast::real {

/// The progress of a measurement.
struct MeasureProgress {
  std::string point = {};  ///< "resnet20, batch 32"
  double done = 0;         ///< 0 to 1: share of the points finished, with the current one in part
  double at_most_left_s = 0;  ///< nearly an upper bound: most points stop earlier
  std::string finished = {};  ///< the result, when the point has just been finished
};

/// Shows a measurement's progress: a bar with the time left on a terminal, else one line per
/// finished point.
class ProgressLines {
 public:
  ProgressLines(std::ostream& out, bool is_terminal) : out_(out), is_terminal_(is_terminal) {}

  void show(const MeasureProgress& progress);

 private:
  std::ostream& out_;
  bool is_terminal_;
};

}  // namespace epochcast::real
