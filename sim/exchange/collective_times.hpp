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

/// Seconds of each, of the slowest member and from the common start, with one worker on every
/// device that trains. Uses up this process's SimGrid engine: one call per process. Throws
/// UserError for unknown algorithms.
[[nodiscard]] std::vector<double> all_reduce_seconds(const Platform& platform,
                                                     const std::vector<AllReduceCase>& cases);

}  // namespace epochcast::sim
