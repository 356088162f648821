// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "collectives/schedule.hpp"
#include "sim/exchange/collective_call.hpp"
#include "sim/exchange/runtime_state.hpp"

namespace epochcast::sim {

/// Properties of collectives before their messages are simulated: their schedules, their times
/// given by hand, and the costs that earlier simulations have learned.
class CollectiveCosts {
 public:
  explicit CollectiveCosts(RuntimeState& state) : state_(state) {}

  /// Of its messages.
  [[nodiscard]] std::shared_ptr<const Schedule> schedule_of(const CollectiveCall& call);
  /// Of its messages, if a library moves them; the schedule is known.
  [[nodiscard]] std::optional<MessageTransport> transport_of(const CollectiveCall& call) const;
  /// The ratio of an all-reduce's measured time to that of its messages; 1 if it was not measured.
  [[nodiscard]] double measured_factor(const CollectiveCall& call) const;
  /// Its time given by hand. Throws a UserError if times are given, but none for this one.
  [[nodiscard]] std::optional<double> fixed_s(const CollectiveCall& call) const;

  /// The learned cost of a collective that starts now, if it is known and no simulated messages
  /// use its links; these are then claimed for that time. Null: simulate.
  [[nodiscard]] const LearnedCost* begin_replay(const CollectiveCall& call);
  /// The same if computing may slow it down: the links are claimed until end_slowed_replay().
  [[nodiscard]] const LearnedCost* begin_slowed_replay(const CollectiveCall& call);
  void end_slowed_replay(const CollectiveCall& call);
  /// Claims the links for a simulation of the call's messages.
  void begin_simulated(CollectiveCall& call);
  /// Whether nothing else has used the links since then.
  [[nodiscard]] bool is_alone(const CollectiveCall& call) const;
  /// The simulation ends; learns its cost if the links were not shared.
  void end_simulated(CollectiveCall& call);

 private:
  /// Null: unknown, or not to be replayed.
  [[nodiscard]] const LearnedCost* learned(const CollectiveCall& call) const;

  RuntimeState& state_;
  std::map<CollectiveKey, LearnedCost> learned_;
  std::map<CollectiveKey, std::shared_ptr<const Schedule>> schedules_;
};

}  // namespace epochcast::sim
