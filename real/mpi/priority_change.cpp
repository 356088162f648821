// SPDX-License-Identifier: Apache-2.0
#include "real/mpi/priority_change.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>

namespace epochcast::real {
namespace {

constexpr int kNicer = 10;  // ten times the weight, and more

/// Whether this thread now comes before (`by` = 1) or again beside (-1) those that it started with.
bool change_priority(int by) {
  int policy = SCHED_OTHER;
  sched_param parameters{};
  if (pthread_getschedparam(pthread_self(), &policy, &parameters) != 0) return false;
  if (policy == SCHED_RR || policy == SCHED_FIFO)
    return pthread_setschedprio(pthread_self(), parameters.sched_priority + by) == 0;
  // Of this thread alone: Linux has a nice value for each (setpriority(2), "C library/kernel
  // differences").
  const id_t thread = static_cast<id_t>(gettid());
  errno = 0;
  const int nice = getpriority(PRIO_PROCESS, thread);
  return errno == 0 && setpriority(PRIO_PROCESS, thread, nice - by * kNicer) == 0;
}

}  // namespace

PriorityChange::PriorityChange(To to) {
  const int by = to == To::ahead_of_computing ? 1 : -1;
  if (change_priority(by)) changed_by_ = by;
}

PriorityChange::~PriorityChange() {
  if (changed_by_ != 0) change_priority(-changed_by_);
}

}  // namespace epochcast::real
