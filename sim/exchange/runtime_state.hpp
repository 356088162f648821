// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simgrid/s4u.hpp>

#include "sim/exchange/runtime.hpp"
#include "sim/sim_fabric.hpp"

namespace epochcast::sim {

/// One worker: its clock, meters and communication stream.
struct Runtime::Rank {
  Rank(Runtime& runtime, int index)
      : fabric(runtime, index),
        wake(simgrid::s4u::Semaphore::create(0)),
        work(simgrid::s4u::Semaphore::create(0)),
        moving_changed(simgrid::s4u::Semaphore::create(0)),
        pace_changed(simgrid::s4u::Semaphore::create(0)) {}

  struct Interval {
    double start_s;
    double end_s;
  };

  SimFabric fabric;
  simgrid::s4u::Host* host = nullptr;
  simgrid::s4u::ActorPtr actor;
  simgrid::s4u::SemaphorePtr wake;  ///< released by the event that the worker waits for

  double local_s =
      0;  ///< the worker's clock, without omitted iterations: comparable between workers
  double skipped_s = 0;  ///< omitted iterations
  PhaseTimes phases;
  Traffic traffic;
  std::int64_t epoch = 0;          ///< iteration of the outermost loop
  std::vector<int> loops;          ///< around this point: indices in their enclosing iterations
  std::vector<int> loops_entered;  ///< by depth, in the current iteration of the enclosing loop
  std::int64_t changes = 0;        ///< announced

  std::deque<std::shared_ptr<CollectiveCall>> stream;  ///< entered, not ended; in order
  double stream_free_s = 0;                            ///< when the last one ended
  std::vector<Interval> busy;  ///< of the stream, not yet processed by wait()

  simgrid::s4u::ActorPtr stream_actor;  ///< transfers the messages; made on first use
  simgrid::s4u::SemaphorePtr work;
  std::deque<std::shared_ptr<CollectiveCall>> to_simulate;

  // If overlap has a cost:
  bool has_contention = false;                ///< it costs this worker
  std::shared_ptr<CollectiveCall> moving;     ///< the call that its stream transfers now
  bool is_computing = false;                  ///< computes while its stream is busy
  simgrid::s4u::SemaphorePtr moving_changed;  ///< released while it computes
  bool is_pacing = false;                     ///< its stream waits for slower progress
  simgrid::s4u::SemaphorePtr pace_changed;    ///< released while it does
};

/// A communicator and its calls and loops.
struct Runtime::CommunicatorState {
  Communicator communicator;
  Footprint footprint;
  double barrier_s = 0;  ///< at the begin of each of its collectives

  std::deque<std::shared_ptr<CollectiveCall>> calls;  ///< not yet complete
  std::int64_t first_call = 0;                        ///< sequence number of the first of them
  std::vector<std::int64_t> calls_reached;            ///< by member

  std::map<std::int64_t, std::shared_ptr<LoopWatch>>
      loops;                                ///< by sequence number, until all have left
  std::vector<std::int64_t> loops_entered;  ///< by member
};

}  // namespace epochcast::sim
