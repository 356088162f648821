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

/// The time of each from the common start, in seconds of its slowest member, with one worker on
/// every device that trains. Uses up this process's SimGrid engine: one call per process. Throws
/// UserError for unknown algorithms.
[[nodiscard]] std::vector<double> all_reduce_times(const Platform& platform,
                                                   const std::vector<AllReduceCase>& cases);

}  // namespace epochcast::sim
