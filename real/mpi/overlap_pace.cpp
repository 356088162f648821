// SPDX-License-Identifier: Apache-2.0
#include "real/mpi/overlap_pace.hpp"

#include <sched.h>

#include "base/process/exact_sleep.hpp"

namespace epochcast::real {

void OverlapPace::wait(std::unique_lock<std::mutex>& lock, double seconds) {
  if (seconds > kSpinOnIdleCore_s) {
    changed_.wait_for(lock, Seconds(seconds - kSpinOnIdleCore_s));
    return;
  }
  lock.unlock();
  sched_yield();
  lock.lock();
}

void OverlapPace::count() {
  const Clock::time_point now = Clock::now();
  const double passed_s = Seconds(now - counted_until_).count();
  moved_s_ += is_computing_ ? passed_s / cost_.exchange_slowdown : passed_s;
  counted_until_ = now;
}

void OverlapPace::compute(double seconds) {
  std::unique_lock lock(mutex_);
  count();
  is_computing_ = true;
  changed_.notify_all();
  while (seconds > 0) {
    const double slowdown = is_moving_ ? cost_.batch_slowdown : 1;
    const Clock::time_point began = Clock::now();
    wait(lock, seconds * slowdown);
    seconds -= Seconds(Clock::now() - began).count() / slowdown;
  }
  count();
  is_computing_ = false;
  changed_.notify_all();
}

void OverlapPace::begin_moving() {
  const std::lock_guard lock(mutex_);
  count();
  moved_s_ = 0;
  began_moving_ = counted_until_;
  is_moving_ = true;
  changed_.notify_all();
}

void OverlapPace::end_moving() {
  std::unique_lock lock(mutex_);
  const double uncontended_s = Seconds(Clock::now() - began_moving_).count();
  count();
  while (moved_s_ < uncontended_s) {
    const double slowdown = is_computing_ ? cost_.exchange_slowdown : 1;
    wait(lock, (uncontended_s - moved_s_) * slowdown);
    count();
  }
  is_moving_ = false;
  changed_.notify_all();
}

}  // namespace epochcast::real
