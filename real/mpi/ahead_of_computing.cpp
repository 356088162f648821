// SPDX-License-Identifier: Apache-2.0
#include "real/mpi/ahead_of_computing.hpp"

#include <pthread.h>
#include <sched.h>

namespace epochcast::real {
namespace {

/// Whether this thread now has a real-time priority that is higher by so much.
bool change_priority(int by) {
  int policy = SCHED_OTHER;
  sched_param parameters{};
  if (pthread_getschedparam(pthread_self(), &policy, &parameters) != 0) return false;
  if (policy != SCHED_RR && policy != SCHED_FIFO) return false;
  return pthread_setschedprio(pthread_self(), parameters.sched_priority + by) == 0;
}

}  // namespace

AheadOfComputing::AheadOfComputing() : is_raised_(change_priority(1)) {}

AheadOfComputing::~AheadOfComputing() {
  if (is_raised_) change_priority(-1);
}

BesideComputing::BesideComputing() : is_lowered_(change_priority(-1)) {}

BesideComputing::~BesideComputing() {
  if (is_lowered_) change_priority(1);
}

}  // namespace epochcast::real
