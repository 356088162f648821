// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/formats/platform.hpp"

namespace epochcast::sim {

/// One all-reduce to simulate.
struct AllReduceCase {
  std::string scope;  ///< "all" workers, or "node": inside all nodes at once
  std::string algorithm;
  double bytes = 0;
};

/// Seconds of all-reduces, from the common start.
struct AllReduceTimes {
  std::vector<double> slowest_s;  ///< of each, its slowest member's
  std::vector<double> mean_s;     ///< over its members
};

/// What each of them takes, with one worker on every device that trains. Uses up this process's
/// SimGrid engine: one call per process. Throws UserError for unknown algorithms.
[[nodiscard]] AllReduceTimes all_reduce_times(const Platform& platform,
                                              const std::vector<AllReduceCase>& cases);

}  // namespace epochcast::sim
