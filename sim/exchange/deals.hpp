// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sim/exchange/runtime_state.hpp"
#include "sim/loops/deal_watch.hpp"

namespace epochcast::sim {

/// The numbers that workers take in the order in which they ask: Fabric::deal().
///
/// Once the mean time between two numbers is known, the clocks of all workers move on together by
/// that of the numbers that are omitted. Phases and bytes of each worker grow as they have since
/// numbers began to count. Messages in transfer are not affected: SimGrid's clock stays.
class Deals {
 public:
  explicit Deals(RuntimeState& state) : state_(state) {}

  void begin_pass() {
    sequences_.clear();
    watches_.clear();
    state_.has_dealt = false;
  }
  /// Half of the 95 % confidence interval of the mean times by which numbers were omitted, relative
  /// to them: the widest of any pass. 0: none was omitted.
  [[nodiscard]] double omitted_half_width() const { return omitted_half_width_; }
  /// Fabric::deal() of a worker.
  [[nodiscard]] std::optional<std::int64_t> deal(int rank,
                                                 std::int64_t sequence,
                                                 std::int64_t count,
                                                 int owner);

 private:
  struct Sequence {
    std::int64_t next = 0;
    DealWatch* watch = nullptr;
    std::vector<WorkerClock> counted_from = {};  ///< clocks when numbers began to count, by rank
    std::vector<double> seen_s = {};             ///< clocks at the last number since then
    std::vector<std::int64_t> moves = {};        ///< how often they had moved on
  };

  /// A message to the owner or back.
  void send(int worker, int from, int to);
  void watch(Sequence& dealt, std::int64_t number, std::int64_t count);
  /// Counts moves of all clocks; returns those of the worker that trains with the fewest.
  std::int64_t count_moves(Sequence& dealt);
  void omit(Sequence& dealt, std::int64_t numbers);

  RuntimeState& state_;
  double omitted_half_width_ = 0;
  std::map<std::int64_t, Sequence> sequences_;
  std::map<std::int64_t, DealWatch> watches_;  ///< by the number of numbers of sequences
};

}  // namespace epochcast::sim
