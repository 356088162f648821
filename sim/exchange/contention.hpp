// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simgrid/forward.h>

#include <memory>
#include <simgrid/s4u/Semaphore.hpp>
#include <vector>

#include "sim/exchange/collective_call.hpp"
#include "sim/exchange/runtime_state.hpp"

namespace epochcast::sim {

/// The slowdown of computing and exchanges that overlap on a worker (OverlapCost).
///
/// A worker computes at 1 / batch_slowdown of its speed while its stream moves messages. A
/// collective goes on at 1 / s of its speed, s being the largest exchange_slowdown among those
/// members that compute: each round waits for its slowest. Its messages are simulated (or replayed)
/// as if nobody computed; a member then waits until the collective, at its changing speed, has come
/// as far.
class Contention {
 public:
  explicit Contention(RuntimeState& state);

  void begin_pass();

  /// Whether overlap slows this worker or its exchanges down.
  [[nodiscard]] bool concerns(int rank) const {
    return state_.layout.worker(rank).overlap.counts();
  }
  /// Whether computation slows the collective down, or its messages slow computation down.
  [[nodiscard]] bool concerns(const CollectiveCall& call) const;

  /// Lets a worker with a busy stream compute for `seconds` of uncontended time. Returns the
  /// contended time.
  [[nodiscard]] double compute(int rank, double seconds);
  /// A member's stream begins to transfer a collective's messages.
  void begin_moving(const std::shared_ptr<CollectiveCall>& call, int member);
  /// Returns when the collective has made the progress of `uncontended_s` seconds without
  /// computation: its end for the member.
  void pace(CollectiveCall& call, int member, double uncontended_s);

 private:
  /// The current transfer of a member's stream.
  struct Transfer {
    std::shared_ptr<CollectiveCall> call;
    bool is_pacing = false;                   ///< waits for slower progress
    simgrid::s4u::SemaphorePtr pace_changed;  ///< released while it does
  };
  struct Member {
    std::array<Transfer, kStreams> transfers;
    bool is_computing = false;                  ///< computes while a stream of its is busy
    simgrid::s4u::SemaphorePtr moving_changed;  ///< released while it computes

    [[nodiscard]] bool is_moving() const {
      return std::ranges::any_of(transfers,
                                 [](const Transfer& each) { return each.call != nullptr; });
    }
  };

  /// Adds `computing` members that compute during a collective, with rank's slowdown of it.
  void apply(CollectiveCall& call, int rank, int computing);
  /// The same during all collectives that the rank transfers.
  void apply_to_all(int rank, int computing);
  [[nodiscard]] static Transfer& transfer_of(Member& member, const CollectiveCall& call) {
    return member.transfers[static_cast<std::size_t>(call.among->all_reduce.stream)];
  }

  RuntimeState& state_;
  std::vector<Member> members_;  ///< by rank; empty if overlap is free for all
};

}  // namespace epochcast::sim
