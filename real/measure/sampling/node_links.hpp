// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/formats/message_trace.hpp"

namespace epochcast::real {

/// Two nodes that exchange messages, `first` below `second`.
struct NodePair {
  int first = 0;
  int second = 0;

  bool operator==(const NodePair&) const = default;
};

/// Rounds of pairs: within a round each node is in one pair at most, so all pairs run at once.
///
/// A round-robin tournament by the circle method: for up to 16 nodes, every pair occurs once, in
/// one round less than there are nodes (in as many if their number is odd: one node is idle in
/// each). For more nodes, 15 of the tournament's rounds, evenly spread: each node meets 14 or 15
/// others, and the time does not depend on the number of nodes. `nodes` is at least 2.
[[nodiscard]] std::vector<std::vector<NodePair>> rounds_of_pairs(int nodes);

/// The bytes that a hub sends to, and receives from, each of its peers: in proportion to
/// the bandwidths of their links, so all end at the same time, in whole floats; the last
/// one gets the remainder. Equal parts if a bandwidth is unknown (0). Their sum is
/// `bytes`.
[[nodiscard]] std::vector<std::int64_t> shares_of_hub(std::int64_t bytes,
                                                      const std::vector<double>& bytes_per_s);

/// The bandwidth of each node's link, in bytes/s: the highest of its pair and hub messages of the
/// largest size among `costs` that name nodes, at the median of their samples. 0 without any.
[[nodiscard]] std::vector<double> link_speeds(std::span<const MessageCost> costs, int nodes);

}  // namespace epochcast::real
