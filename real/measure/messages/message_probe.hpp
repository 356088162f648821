// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/formats/message_trace.hpp"
#include "real/measure/sampling/progress_lines.hpp"
#include "real/measure/sampling/sampling.hpp"

namespace epochcast::real {

/// The settings of a measurement.
struct MessageSettings {
  std::vector<std::int64_t> bytes = {};      ///< ascending, each from 1 to 2^30
  std::vector<std::string> all_reduce = {};  ///< names of collectives/registry.hpp
  SamplingRule rule = {};
};

/// Two ranks that exchange messages.
struct RankPair {
  int first = 0;
  int second = 0;
};

/// The first two ranks of which both are on one node (`same_node`) or on different nodes, if
/// any.
[[nodiscard]] std::optional<RankPair> find_pair(const std::vector<int>& node_of_rank,
                                                bool same_node);

/// Message costs of this job's machines; the whole list on rank 0, empty on the others.
///
/// Collective over MPI_COMM_WORLD, which has at least two ranks. A sample of "ping-pong" is half a
/// round trip between two ranks. The others are the seconds of the slowest rank after a barrier:
/// every rank sends to its right neighbour while it receives from the left one ("ring-step"), and
/// an all-reduce through MpiFabric. For small messages, the mean of several consecutive steps.
/// "reduce" is adding one buffer of floats to another, on all ranks at once. Those inside nodes run
/// in all nodes at once; they are left out if they would repeat those among all ranks. All-reduces
/// carry floats: other sizes are rounded down to whole floats. Sizes above 4 MiB whose fewest
/// samples would take more than four times the rule's `max_s` are left out.
///
/// On three nodes or more, links may differ, and further points name their `nodes`: "opposite"
/// between the first ranks of pairs of nodes, as many pairs at once as possible
/// (rounds_of_pairs()), at the smallest size from 1 KiB on and at the largest; "hub-step" of each
/// node, whose first rank exchanges the largest size with those of all other nodes at once. Pairs
/// and hubs get 0.3 of the rule's seconds. The number of points grows with the number of nodes, not
/// with that of pairs. `node_of_rank` numbers nodes in the order of first appearance.
///
/// `report` is called on rank 0: at most about once a second, and after each point.
[[nodiscard]] std::vector<MessageCost> probe_messages(
    const MessageSettings& settings,
    const std::vector<int>& node_of_rank,
    const std::function<void(const MeasureProgress&)>& report);

}  // namespace epochcast::real
