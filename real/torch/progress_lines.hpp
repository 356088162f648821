// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "real/torch/measure.hpp"

namespace epochcast::real {

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
