// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "core/fabric.hpp"

namespace epochcast::real {

/// Lets computing that is slept, and messages that move meanwhile, slow each other down as they
/// would on the device that is emulated: each goes on at 1 / slowdown of its speed while the other
/// does (as in sim/exchange/runtime_overlap.cpp; of a collective's members, this one alone counts).
///
/// One thread computes, another one moves messages.
class OverlapPace {
 public:
  explicit OverlapPace(const OverlapCost& cost) : cost_(cost) {}

  /// Sleeps for what takes so many seconds while no messages move.
  void compute(double seconds);
  /// Messages begin to move.
  void begin_moving();
  /// They have arrived: returns when they would have, had the device computed.
  void end_moving();

 private:
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;

  /// Waits until something changes, `seconds` at most; the end of that is met as by
  /// sleep_exactly(), on cores that nobody else needs. May return early.
  void wait(std::unique_lock<std::mutex>& lock, double seconds);
  /// Counts what the messages have moved since the last time.
  void count();

  OverlapCost cost_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_computing_ = false;
  bool is_moving_ = false;
  double moved_s_ = 0;  ///< seconds that so much would have taken without computing
  Clock::time_point counted_until_ = Clock::now();
  Clock::time_point began_moving_;
};

}  // namespace epochcast::real
