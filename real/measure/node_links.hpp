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

/// Rounds of pairs: within a round no node is in two of them, so that all can be measured at once.
///
/// A round-robin tournament by the circle method: of up to 16 nodes, every pair occurs once, in one
/// round less than there are nodes (in as many where their number is odd: one of them rests). Of
/// more, 15 of the tournament's rounds, evenly spread: each node meets 14 or 15 others, and the
/// time does not depend on how many nodes there are. `nodes` is at least 2.
[[nodiscard]] std::vector<std::vector<NodePair>> rounds_of_pairs(int nodes);

/// How many of the bytes that a hub sends, and of those that it receives, belong to each of its
/// peers: in proportion to what their links give, so that none keeps the hub waiting, in whole
/// floats; what is left over belongs to the last. Equal parts where that is not known (0). Their
/// sum is `bytes`.
[[nodiscard]] std::vector<std::int64_t> shares_of_hub(std::int64_t bytes,
                                                      const std::vector<double>& bytes_per_s);

/// What each node's link gives, in bytes/s: the best of its pair and hub messages of the largest
/// size among `costs` that name nodes, at the median of their samples. 0 without any.
[[nodiscard]] std::vector<double> link_speeds(std::span<const MessageCost> costs, int nodes);

}  // namespace epochcast::real
