// SPDX-License-Identifier: Apache-2.0
#include "core/process/exact_sleep.hpp"

#include <sched.h>

#include <chrono>
#include <thread>

namespace epochcast {

void sleep_exactly(double seconds) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds kLate(100);
  const std::chrono::duration<double> length(seconds);
  const Clock::time_point start = Clock::now();
  if (length > kLate) std::this_thread::sleep_for(length - kLate);
  while (Clock::now() - start < length) sched_yield();
}

}  // namespace epochcast
