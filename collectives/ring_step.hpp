// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "collectives/schedule.hpp"

namespace epochcast {

/// The position of a rank in a ring, and its neighbours.
struct RingPlace {
  int position = 0;
  int size = 1;
  int next = 0;      ///< the rank that it sends to
  int previous = 0;  ///< the rank that it receives from
};

/// The blocks that are sent around a ring: block i is [begin + i·stride, begin + i·stride +
/// length).
struct RingBlocks {
  std::int64_t begin = 0;
  std::int64_t stride = 1;
  std::int64_t length = 1;
};

/// The place of `position` in a ring of ranks 0..size-1 in rank order.
[[nodiscard]] RingPlace place_in_rank_order(int position, int size);

/// Step 0..size-2 of a ring reduce-scatter; afterwards position p holds the sum of block p+1 (mod
/// size).
[[nodiscard]] Round ring_reduce_scatter(const RingPlace& place,
                                        const RingBlocks& blocks,
                                        std::int64_t step);

/// Step 0..size-2 of the ring all-gather that follows: position p starts with block p+1 (mod size).
[[nodiscard]] Round ring_all_gather(const RingPlace& place,
                                    const RingBlocks& blocks,
                                    std::int64_t step);

}  // namespace epochcast
