// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/import/iteration_times.hpp"
#include "analysis/import/profile.hpp"
#include "core/formats/message_trace.hpp"

namespace epochcast {

/// A rank's profile, with the selected iterations.
struct RankProfile {
  Profile profile;
  RankIterations times;
};

/// The costs of a job's all-reduces.
struct AllReduceCosts {
  std::vector<MessageCost> costs;  ///< by scope, backend and size
  std::vector<int> node_of_rank;
  std::int64_t counted = 0;    ///< all-reduces among the samples of `costs`
  std::int64_t unsized = 0;    ///< left out: size unknown
  std::int64_t uncounted = 0;  ///< left out: number of ranks unknown
  std::int64_t unmatched = 0;  ///< left out: not in the profiles of all ranks of their group
  std::int64_t partial = 0;    ///< left out: among neither all ranks nor those of one node
  bool includes_waiting =
      false;  ///< ranks without a profile exist, for which these may have waited
};

/// The all-reduces within the iterations; the n-th of a process group in an iteration is the same
/// on all its ranks.
///
/// A rank that arrives early waits, and its all-reduce seems to take longer: the sample is the
/// shortest of the ranks' times. Of a group's all-reduces that overlap on a rank, the later one
/// counts from the earlier one's end: gloo's spans begin with the call, and its two threads share a
/// link. `ranks_per_node` 0: all ranks are on one node.
[[nodiscard]] AllReduceCosts all_reduce_costs(std::span<const RankProfile> ranks,
                                              int ranks_per_node);

}  // namespace epochcast
