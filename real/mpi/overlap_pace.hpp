// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "core/fabric.hpp"

namespace epochcast::real {

/// Slows down emulated computing (sleeps) and messages that overlap, as on the emulated device:
/// each proceeds at 1 / slowdown of its speed while the other does. Of a collective's members, only
/// this one counts.
///
/// One thread computes, another one moves messages.
class OverlapPace {
 public:
  explicit OverlapPace(const OverlapCost& cost) : cost_(cost) {}

  /// Sleeps for computing that takes `seconds` without messages.
  void compute(double seconds);
  /// Notes that messages begin to move.
  void begin_moving();
  /// Notes their arrival; returns at the time of arrival beside a computing device.
  void end_moving();

 private:
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;

  /// Waits until something changes, `seconds` at most; ends as exactly as sleep_exactly() on idle
  /// cores. May return early.
  void wait(std::unique_lock<std::mutex>& lock, double seconds);
  /// Adds the progress of messages since the last call.
  void count();

  OverlapCost cost_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_computing_ = false;
  bool is_moving_ = false;
  double moved_s_ = 0;  ///< progress of messages, in seconds without computing
  Clock::time_point counted_until_ = Clock::now();
  Clock::time_point began_moving_;
};

}  // namespace epochcast::real
