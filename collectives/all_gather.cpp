// SPDX-License-Identifier: Apache-2.0
#include "collectives/all_gather.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

#include "base/error.hpp"

namespace epochcast {

Round RingAllGather::round(int rank, std::int64_t index) const {
  const int sent = at_distance(rank, -index);
  Round round;
  add(round, ActionKind::send, at_distance(rank, 1), sent);
  add(round, ActionKind::receive, at_distance(rank, -1), at_distance(sent, -1));
  return round;
}

std::vector<RepeatedRounds> RingAllGather::repeated() const {
  if (ranks() == 1 || !parts().are_equal()) return {};
  return {{.begin = 0, .end = ranks() - 1, .period = 1}};
}

DoublingAllGather::DoublingAllGather(Parts parts) : PartsSchedule(std::move(parts)) {
  if (!std::has_single_bit(static_cast<unsigned>(ranks())))
    throw std::invalid_argument("recursive doubling needs a power of two of ranks");
}

std::int64_t DoublingAllGather::rounds(int /*rank*/) const {
  return std::countr_zero(static_cast<unsigned>(ranks()));
}

Round DoublingAllGather::round(int rank, std::int64_t index) const {
  const int known = 1 << index;
  const int own = rank & -known;  // the first of the parts that it has
  const int peer = rank ^ known;
  Round round;
  add(round, ActionKind::send, peer, own, known);
  add(round, ActionKind::receive, peer, own ^ known, known);
  return round;
}

std::int64_t BruckAllGather::rounds(int /*rank*/) const {
  return std::bit_width(static_cast<unsigned>(ranks() - 1));
}

Round BruckAllGather::round(int rank, std::int64_t index) const {
  const int known = 1 << index;  // parts from `rank` on
  const int count = std::min(known, ranks() - known);
  const int from = at_distance(rank, known);
  Round round;
  add(round, ActionKind::send, at_distance(rank, -known), rank, count);
  add(round, ActionKind::receive, from, from, count);
  return round;
}

NeighborAllGather::NeighborAllGather(Parts parts) : PartsSchedule(std::move(parts)) {
  if (ranks() % 2 != 0)
    throw std::invalid_argument("neighbour exchange needs an even number of ranks");
}

int NeighborAllGather::newest_pair(int rank, std::int64_t index) const {
  // Even ranks exchange with the pair below in odd rounds, odd ranks with the pair above; pairs
  // arrive from further away in each round, from both sides in turn.
  const bool is_above = (rank + index) % 2 == 0;
  const std::int64_t distance = (index + 1) / 2;
  return at_distance(rank - rank % 2, is_above ? 2 * distance : -2 * distance) / 2;
}

Round NeighborAllGather::round(int rank, std::int64_t index) const {
  const bool is_with_next = (rank + index) % 2 == 0;
  const int peer = at_distance(rank, is_with_next ? 1 : -1);
  Round round;
  if (index == 0) {
    add(round, ActionKind::send, peer, rank);
    add(round, ActionKind::receive, peer, peer);
  } else {
    add(round, ActionKind::send, peer, 2 * newest_pair(rank, index - 1), 2);
    add(round, ActionKind::receive, peer, 2 * newest_pair(rank, index), 2);
  }
  return round;
}

DirectAllGather::DirectAllGather(Parts parts) : PartsSchedule(std::move(parts)) {
  if (ranks() > kMostRanks) {
    throw UserError(
        "--all-reduce: direct reduce-scatters and all-gathers are simulated among at "
        "most " +
        std::to_string(kMostRanks) + " ranks; got " + std::to_string(ranks()) + "; take ring");
  }
}

Round DirectAllGather::round(int rank, std::int64_t /*index*/) const {
  Round round;
  for (int distance = 1; distance < ranks(); ++distance) {
    add(round, ActionKind::send, at_distance(rank, distance), rank);
  }
  for (int distance = 1; distance < ranks(); ++distance) {
    const int from = at_distance(rank, -distance);
    add(round, ActionKind::receive, from, from);
  }
  return round;
}

}  // namespace epochcast
