// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simgrid/forward.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <simgrid/s4u/Actor.hpp>
#include <simgrid/s4u/Semaphore.hpp>
#include <vector>

#include "sim/exchange/collective_call.hpp"
#include "sim/exchange/collective_costs.hpp"
#include "sim/exchange/contention.hpp"
#include "sim/exchange/messages.hpp"
#include "sim/exchange/runtime_state.hpp"

namespace epochcast::sim {

/// The collectives of a job: members meet, then the messages of the schedule are simulated, or what
/// an earlier simulation of the same collective has cost is replayed.
///
/// Collectives of a worker go through its streams, on each in the order of their start.
class Collectives {
 public:
  Collectives(RuntimeState& state, Messages& messages, Contention& contention);

  void begin_pass();

  /// The next call of a member.
  [[nodiscard]] std::shared_ptr<CollectiveCall> next_call(const Communicator& among, int member);
  /// Puts the member, with its part filled in, onto its stream; the last one starts the
  /// call.
  void join(const std::shared_ptr<CollectiveCall>& call, int member);
  /// Lets a member's worker wait for the call's end. Its clock advances to that: exchange while its
  /// stream was busy, else blocked.
  void wait(CollectiveCall& call, int member);
  /// Whether the worker has joined a call that has not ended.
  [[nodiscard]] bool is_busy(int rank) const {
    for (int stream = 0; stream < kStreams; ++stream)
      if (!streams_[index_of(rank, stream)].calls.empty()) return true;
    return false;
  }

 private:
  struct Interval {
    double start_s;
    double end_s;
  };
  /// A communication stream of a worker.
  struct WorkerStream {
    std::deque<std::shared_ptr<CollectiveCall>> calls;  ///< joined, not ended; in order
    double free_s = 0;                                  ///< when the last one ended
    std::vector<Interval> busy;                         ///< not yet processed by wait()

    simgrid::s4u::ActorPtr actor;  ///< transfers the messages; made on first use
    simgrid::s4u::SemaphorePtr work;
    std::deque<std::shared_ptr<CollectiveCall>> to_simulate;
  };
  /// The calls of a communicator.
  struct Calls {
    std::deque<std::shared_ptr<CollectiveCall>> open;  ///< not yet reached by all members
    std::int64_t first = 0;                            ///< sequence number of the first of them
    std::vector<std::int64_t> reached;                 ///< by member
  };

  [[nodiscard]] static std::size_t index_of(int rank, int stream) {
    return static_cast<std::size_t>(rank) * kStreams + static_cast<std::size_t>(stream);
  }
  [[nodiscard]] WorkerStream& stream_of(const CollectiveCall& call, int member) {
    const int rank = call.among->ranks[static_cast<std::size_t>(member)];
    return streams_[index_of(rank, call.among->all_reduce.stream)];
  }
  void reach_head(std::shared_ptr<CollectiveCall> call);
  void start(const std::shared_ptr<CollectiveCall>& shared);
  void end(CollectiveCall& call, int member, double end_s, const Traffic& traffic);
  /// Whether its end is known at its start, and it has ended.
  [[nodiscard]] bool ends_at_once(CollectiveCall& call);
  [[nodiscard]] bool replay(CollectiveCall& call);

  void simulate(const std::shared_ptr<CollectiveCall>& shared);
  void serve_stream(int rank, WorkerStream& stream);
  void simulate_member(const std::shared_ptr<CollectiveCall>& shared, int member);
  /// The same if computing and the collective slow each other down.
  void simulate_beside(const std::shared_ptr<CollectiveCall>& shared, int member);
  /// Simulates the rounds of a member. Returns the bytes that it has sent.
  [[nodiscard]] Traffic simulate_rounds(CollectiveCall& call, int member);
  /// Ends the call for a member whose messages were simulated, now.
  void end_simulated(CollectiveCall& call, int member, const Traffic& sent);
  /// Adds blocked time of a worker to the timeline, if there is one, in seconds of its clock
  /// without skipped time.

  RuntimeState& state_;
  Messages& messages_;
  Contention& contention_;
  CollectiveCosts costs_;
  std::vector<WorkerStream> streams_;  ///< by rank
  std::deque<Calls> calls_;            ///< by the communicator's id
};

}  // namespace epochcast::sim
