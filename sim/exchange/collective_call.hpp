// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "collectives/schedule.hpp"
#include "core/fabric.hpp"
#include "sim/loops/round_skipper.hpp"

namespace epochcast::sim {

/// The cost of a collective, learned from a simulation of its messages: per member, from the common
/// start.
struct LearnedCost {
  std::vector<double> duration_s;
  std::vector<Traffic> traffic;
};

/// The progress of a collective that computing members slow down.
struct ContendedProgress {
  double done_s = 0;                ///< of its time without computation, until ...
  double at_s = 0;                  ///< ... this time
  std::map<double, int> slowed_by;  ///< computing members, by their slowdown of it

  /// Ratio of its current duration to that without computation.
  [[nodiscard]] double slowdown() const {
    return slowed_by.empty() ? 1 : slowed_by.rbegin()->first;
  }
};

/// One collective call of all members of a communicator.
struct CollectiveCall {
  enum class Kind {
    all_reduce,
    reduce_scatter,
    all_gather,
    broadcast,
    gather,
    all_gather_numbers,
    barrier
  };

  const Communicator* among = nullptr;
  Kind kind = Kind::barrier;
  std::string label;                      ///< on the timeline
  int root = 0;                           ///< member index
  double bytes = 0;                       ///< of the whole payload
  std::vector<std::int64_t> part_counts;  ///< elements of each member, where parts may differ
  std::vector<Payload> payloads;          ///< by member
  std::vector<Payload> parts;   ///< by member, its part of payloads: mine of Fabric's calls
  std::vector<double> weights;  ///< of sums, by member
  std::vector<double> numbers;  ///< all_gather_numbers: of members, until all have arrived
  std::optional<SharedNumbers> gathered_numbers;  ///< the same afterwards

  int reached = 0;                ///< members that have arrived
  int heads = 0;                  ///< members whose stream it heads
  std::vector<double> arrival_s;  ///< by member, on the job's simulated clock
  double start_s = 0;
  double measured_factor = 1;  ///< ratio of its measured time to that simulated from its messages
  int finished = 0;
  std::vector<double> uncontended_s;      ///< by member: its duration without computation
  const LearnedCost* replayed = nullptr;  ///< with contention: replaces its messages
  ContendedProgress progress;
  std::vector<double> end_s;     ///< by member; NaN while unknown
  std::vector<bool> is_awaited;  ///< by member: its worker sleeps until it ends

  std::shared_ptr<const Schedule> schedule;
  std::optional<MessageTransport> transport;  ///< of the schedule's messages
  double ahead_s = 0;                         ///< before the first message: those of the transport
  std::unique_ptr<RoundSkipper> rounds;
  bool is_replayed = false;            ///< after all: decided when the clock reaches its start
  std::optional<std::uint64_t> token;  ///< of Interference, while it is simulated

  [[nodiscard]] bool has_numbers() const {
    return std::ranges::any_of(payloads, &Payload::has_numbers) ||
           std::ranges::any_of(parts, &Payload::has_numbers);
  }
  /// Whether it moves gradients or parameters in the ways of an all-reduce or of half of one.
  [[nodiscard]] bool is_exchange() const { return is_sum() || kind == Kind::all_gather; }
  [[nodiscard]] bool is_sum() const {
    return kind == Kind::all_reduce || kind == Kind::reduce_scatter;
  }
  [[nodiscard]] bool has_ended(int member) const {
    return !std::isnan(end_s[static_cast<std::size_t>(member)]);
  }
};

/// Two calls with the same key cost the same: communicator, kind, root, bytes, and the parts of
/// these.
using CollectiveKey = std::tuple<int, CollectiveCall::Kind, int, double, std::vector<std::int64_t>>;
[[nodiscard]] inline CollectiveKey key_of(const CollectiveCall& call) {
  return {call.among->id, call.kind, call.root, call.bytes, call.part_counts};
}

/// Moves and reduces the real data of the call, once all members have arrived. `schedule`: that of
/// a sum, null for other kinds.
void move_numbers(CollectiveCall& call, const Schedule* schedule);

}  // namespace epochcast::sim
