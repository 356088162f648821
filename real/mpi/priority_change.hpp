// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace epochcast::real {

/// While it lives, this thread, which moves messages and mostly sleeps, gets the core as soon as it
/// wakes, before threads that compute; or, inside of that, again as they do.
///
/// The kernel prefers who has slept, for as long as it has not had its share: the thread lowers its
/// nice value, too. Without the right to do so nothing changes, nor does anything in real-time
/// order (SCHED_RR, SCHED_FIFO): Open MPI's queues in shared memory have a reader spin until the
/// writer has done its step, and a reader of higher priority on the writer's core would spin
/// forever.
class PriorityChange {
 public:
  enum class To { ahead_of_computing, beside_computing };

  explicit PriorityChange(To to);
  ~PriorityChange();
  PriorityChange(const PriorityChange&) = delete;
  PriorityChange& operator=(const PriorityChange&) = delete;

 private:
  int nicer_by_ = 0;
};

/// Whether this thread runs in real-time order.
[[nodiscard]] bool is_in_real_time_order();

/// For processes that compute, before they start threads. In real-time order whoever computes keeps
/// the core for 100 ms from those that move messages beside it, and the kernel stops it for 50 ms
/// of every second: such a process goes on in the usual order.
void leave_real_time_order();

}  // namespace epochcast::real
