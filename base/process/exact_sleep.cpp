// SPDX-License-Identifier: Apache-2.0
#include "base/process/exact_sleep.hpp"

#include <sched.h>

#include <chrono>
#include <thread>

namespace epochcast {

void sleep_exactly(double seconds, double spin_s) {
  using Clock = std::chrono::steady_clock;
  const std::chrono::duration<double> length(seconds);
  const std::chrono::duration<double> awake(spin_s);
  const Clock::time_point start = Clock::now();
  if (length > awake) std::this_thread::sleep_for(length - awake);
  while (Clock::now() - start < length) sched_yield();
}

}  // namespace epochcast
