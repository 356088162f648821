// SPDX-License-Identifier: Apache-2.0
#include "real/mpi/priority_change.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>

namespace epochcast::real {
namespace {

constexpr int kNicer = 10;  // ten times the weight, and more

/// Whether this thread's nice value is now lower by `by`.
bool change_nice_value(int by) {
  // Of this thread alone: Linux has a nice value for each (setpriority(2), "C library/kernel
  // differences").
  const id_t thread = static_cast<id_t>(gettid());
  errno = 0;
  const int nice = getpriority(PRIO_PROCESS, thread);
  return errno == 0 && setpriority(PRIO_PROCESS, thread, nice - by) == 0;
}

}  // namespace

bool is_under_sched_rr() {
  const int policy = sched_getscheduler(0);
  return policy == SCHED_RR || policy == SCHED_FIFO;
}

PriorityChange::PriorityChange(To to) {
  if (is_under_sched_rr()) return;
  const int by = to == To::ahead_of_computing ? kNicer : -kNicer;
  if (change_nice_value(by)) nicer_by_ = by;
}

PriorityChange::~PriorityChange() {
  if (nicer_by_ != 0) change_nice_value(-nicer_by_);
}

void leave_sched_rr() {
  if (!is_under_sched_rr()) return;
  const sched_param none{};
  sched_setscheduler(0, SCHED_OTHER, &none);  // always allowed
}

}  // namespace epochcast::real
