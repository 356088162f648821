// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace epochcast {

/// Returns `ranks`; throws std::invalid_argument when a group would be empty.
[[nodiscard]] inline int checked_ranks(int ranks) {
  if (ranks < 1) throw std::invalid_argument("a schedule needs at least one rank");
  return ranks;
}

}  // namespace epochcast
