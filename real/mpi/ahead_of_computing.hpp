// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace epochcast::real {

/// While it lives, this thread, which moves messages and mostly sleeps, gets the core as soon as it
/// wakes, before threads that compute.
///
/// In real-time order (SCHED_RR, SCHED_FIFO) who wakes waits until who runs has used up its 100 ms,
/// unless its priority is higher: messages that are to hide behind computing would wait for its end
/// instead. Ordinary scheduling prefers who has slept, for as long as it has not had its share:
/// there the thread lowers its nice value, too. Without the right to a higher priority nothing
/// changes.
class AheadOfComputing {
 public:
  AheadOfComputing();
  ~AheadOfComputing();
  AheadOfComputing(const AheadOfComputing&) = delete;
  AheadOfComputing& operator=(const AheadOfComputing&) = delete;

 private:
  bool is_raised_ = false;
};

/// While it lives, a thread that is AheadOfComputing is not.
class BesideComputing {
 public:
  BesideComputing();
  ~BesideComputing();
  BesideComputing(const BesideComputing&) = delete;
  BesideComputing& operator=(const BesideComputing&) = delete;

 private:
  bool is_lowered_ = false;
};

}  // namespace epochcast::real
