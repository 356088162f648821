// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace epochcast::bench {

/// The target of a figure.
struct Target {
  double bound = 0;
  bool is_minimum = false;      ///< at least `bound`; else at most
  const char* format = "%.2f";  ///< of the figure and the bound, with the unit
};

/// Prints one line: the median of the repetitions, their range, the target, and whether it is met.
/// `remark` follows.
void report(const std::string& figure,
            const std::vector<double>& repetitions,
            const Target& target,
            const std::string& remark = {});
/// The same for a figure that is shown for comparison.
void show(const std::string& figure, const std::vector<double>& repetitions, const char* format);

}  // namespace epochcast::bench
