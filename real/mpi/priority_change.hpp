// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace epochcast::real {

/// While it lives, this thread, which moves messages and mostly sleeps, has a higher priority than
/// computing threads; a nested one restores the usual priority.
///
/// It lowers the thread's nice value. Without the permission to do so nothing changes, nor under
/// SCHED_RR or SCHED_FIFO: readers of Open MPI's queues in shared memory spin until the writer has
/// made its step, so a reader of higher priority on the writer's core would spin forever.
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

/// Whether this thread runs under SCHED_RR or SCHED_FIFO.
[[nodiscard]] bool is_under_sched_rr();

/// For processes that compute, before they start threads: switches from SCHED_RR or SCHED_FIFO to
/// SCHED_OTHER. A computing real-time thread would keep the core from message threads for 100 ms,
/// and the kernel would stop it for 50 ms of every second.
void leave_sched_rr();

}  // namespace epochcast::real
