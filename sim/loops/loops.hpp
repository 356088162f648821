// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "sim/exchange/runtime_state.hpp"
#include "sim/loops/loop_watch.hpp"

namespace epochcast::sim {

/// The loops of a job's program (Fabric::repeat()): later iterations are extrapolated instead of
/// run.
class Loops {
 public:
  explicit Loops(RuntimeState& state);

  void begin_pass();
  /// Whether pilot passes have found loops to sample.
  [[nodiscard]] bool has_statistics() const { return !statistics_.empty(); }

  /// Fabric::repeat() of a worker.
  void repeat(int rank,
              const Communicator& among,
              std::int64_t count,
              const std::function<void(std::int64_t)>& body);
  /// Fabric::announce_change() of a worker.
  void announce_change(int rank) { ++positions_[static_cast<std::size_t>(rank)].changes; }

 private:
  /// The identity of a loop: session, communicator, epoch, and position in the program, which is
  /// for each enclosing loop and for the loop itself the number of loops that the same iteration
  /// has entered before.
  using LoopKey = std::tuple<std::size_t, int, std::int64_t, std::vector<int>>;

  /// The position of a worker in its program.
  struct Position {
    std::int64_t epoch = 0;    ///< iteration of the outermost loop
    std::vector<int> loops;    ///< around this point: indices in their enclosing iterations
    std::vector<int> entered;  ///< by depth, in the current iteration of the enclosing loop
    std::int64_t changes = 0;  ///< announced
  };
  /// The loops of a communicator.
  struct Watches {
    std::map<std::int64_t, std::shared_ptr<LoopWatch>> open;  ///< by sequence number
    std::vector<std::int64_t> entered;                        ///< by member
  };

  [[nodiscard]] Meters meters(int rank);
  [[nodiscard]] bool are_all(const Communicator& among) const {
    return among.ranks.size() == positions_.size();
  }
  [[nodiscard]] LoopWatch::Rule rule_for(const Position& position,
                                         const Communicator& among,
                                         std::int64_t sequence,
                                         std::int64_t count);
  /// Whether iterations of a loop among these may be omitted now: no other ranks use their links.
  [[nodiscard]] bool may_claim_links(const Communicator& among) const;
  void claim_links(const Communicator& among, const LoopWatch& watch);
  /// While all wait for a decision, SimGrid's clock may have passed the clocks of some: moves all
  /// by as much, and counts that much less as skipped.
  void catch_up_with_simgrid();
  void skip(int rank, const Communicator& among, const LoopWatch& watch);
  void wait_for_decision(int rank, const Communicator& among, LoopWatch& watch, bool is_last);

  RuntimeState& state_;
  std::vector<Position> positions_;               ///< by rank
  std::deque<Watches> watches_;                   ///< by the communicator's id
  std::map<LoopKey, LoopStatistics> statistics_;  ///< from pilot passes
  /// Iterations of the outermost loop until it repeats; 0: all.
  std::int64_t epochs_to_sample_ = 0;
};

}  // namespace epochcast::sim
