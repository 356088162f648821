// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace epochcast::real {

/// While it lives, this thread, which moves messages and mostly sleeps, gets the core as soon as it
/// wakes, before threads that compute; or, inside of that, again as they do.
///
/// In real-time order (SCHED_RR, SCHED_FIFO) who wakes waits until who runs has used up its 100 ms,
/// unless its priority is higher: messages that are to hide behind computing would wait for its end
/// instead. Ordinary scheduling prefers who has slept, for as long as it has not had its share:
/// there the thread lowers its nice value, too. Without the right to a higher priority nothing
/// changes.
class PriorityChange {
 public:
  enum class To { ahead_of_computing, beside_computing };

  explicit PriorityChange(To to);
  ~PriorityChange();
  PriorityChange(const PriorityChange&) = delete;
  PriorityChange& operator=(const PriorityChange&) = delete;

 private:
  int changed_by_ = 0;
};

}  // namespace epochcast::real
