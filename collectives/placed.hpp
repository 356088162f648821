// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "collectives/schedule.hpp"

namespace epochcast {

/// A round of a schedule that is part of a larger one: its peers are rank_at(peer) there, and its
/// unit 0 is unit `begin`.
template <typename RankAt>
[[nodiscard]] Round placed(const Round& round, RankAt rank_at, std::int64_t begin = 0) {
  Round result;
  for (const auto& [kind, peer, block] : round) {
    result.push_back({kind, rank_at(peer), {block.begin + begin, block.end + begin}});
  }
  return result;
}

}  // namespace epochcast
