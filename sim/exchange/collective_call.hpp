// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "collectives/schedule.hpp"
#include "core/fabric.hpp"
#include "sim/exchange/interference.hpp"
#include "sim/loops/round_skipper.hpp"

namespace epochcast::sim {

/// What a collective costs, as learned from a simulation of its messages: per member, from the
/// common start.
struct LearnedCost {
  std::vector<double> duration_s;
  std::vector<Traffic> traffic;
};

/// One collective call: the place where all members of a communicator meet.
struct CollectiveCall {
  enum class Kind { all_reduce, broadcast, gather, all_gather, barrier };

  const Communicator* among = nullptr;
  Kind kind = Kind::barrier;
  std::string label;               ///< on the timeline
  int root = 0;                    ///< member index
  double bytes = 0;                ///< of the whole payload
  std::vector<double> part_bytes;  ///< gather: what each member sends
  std::vector<Payload> payloads;   ///< by member
  std::vector<double> weights;     ///< all_reduce, by member
  Payload gathered;                ///< gather: where the root wants it
  std::vector<double> numbers;     ///< all_gather: everybody's, by member, until all have come
  std::optional<SharedNumbers> gathered_numbers;  ///< all_gather: the same afterwards

  int reached = 0;                ///< members that have called
  int heads = 0;                  ///< members on whose stream it is next
  std::vector<double> arrival_s;  ///< by member, on the job's simulated clock
  double start_s = 0;
  double measured_factor = 1;  ///< how many times as long it takes as its messages say
  int finished = 0;
  std::vector<double> uncontended_s;      ///< by member: how long it takes while nobody computes
  const LearnedCost* replayed = nullptr;  ///< where overlap costs: instead of its messages
  double progress_s = 0;                  ///< of the uncontended time, that had passed ...
  double progress_at_s = 0;               ///< ... at this time
  std::map<double, int> slowed_by;        ///< members that compute meanwhile, by what that costs it
  std::vector<double> end_s;              ///< by member; NaN while unknown
  std::vector<bool> is_awaited;           ///< by member: its worker sleeps until it ends

  std::shared_ptr<const Schedule> schedule;
  std::unique_ptr<RoundSkipper> rounds;
  bool is_replayed = false;            ///< after all: decided when the clock reaches its start
  std::optional<std::uint64_t> token;  ///< of Interference, while it is simulated

  [[nodiscard]] bool has_numbers() const {
    return std::any_of(payloads.begin(), payloads.end(), [](const Payload& payload) {
      return !payload.values.empty();
    });
  }
  /// How many times as long it takes now as if nobody computed.
  [[nodiscard]] double slowdown() const {
    return slowed_by.empty() ? 1 : slowed_by.rbegin()->first;
  }
  [[nodiscard]] bool has_ended(int member) const {
    return !std::isnan(end_s[static_cast<std::size_t>(member)]);
  }
};

/// What two calls must have in common to cost the same: communicator, kind, root, bytes, and how
/// these are divided.
using CollectiveKey = std::tuple<int, CollectiveCall::Kind, int, double, std::vector<double>>;
[[nodiscard]] inline CollectiveKey key_of(const CollectiveCall& call) {
  return {call.among->id, call.kind, call.root, call.bytes, call.part_bytes};
}

/// Carries out on real numbers what the messages stand for, once everybody has arrived. `schedule`:
/// that of an all-reduce, null for other kinds.
void move_numbers(CollectiveCall& call, const Schedule* schedule);

}  // namespace epochcast::sim
