// SPDX-License-Identifier: Apache-2.0
#include "real/mpi/background_progress.hpp"

#include <algorithm>

#include "real/mpi/priority_change.hpp"

namespace epochcast::real {
namespace {

constexpr std::chrono::microseconds kShortestPause{500};

}  // namespace

BackgroundProgress::BackgroundProgress(MPI_Comm comm, std::chrono::milliseconds longest_pause)
    : longest_pause_(longest_pause),
      next_poll_(sent_at_ + kShortestPause),
      thread_([this, comm](const std::stop_token& stop) { serve(stop, comm); }) {}

BackgroundProgress::Moving::Moving(BackgroundProgress* progress) : progress_(progress) {
  if (progress_ == nullptr) return;
  const std::lock_guard lock(progress_->mutex_);
  ++progress_->moving_;
}

BackgroundProgress::Moving::~Moving() {
  if (progress_ == nullptr) return;
  const std::lock_guard lock(progress_->mutex_);
  --progress_->moving_;
  progress_->poll_soon();
}

void BackgroundProgress::note_send() {
  const std::lock_guard lock(mutex_);
  poll_soon();
}

void BackgroundProgress::poll_soon() {
  sent_at_ = Clock::now();
  if (next_poll_ <= sent_at_ + kShortestPause) return;
  next_poll_ = sent_at_ + kShortestPause;
  sent_.notify_one();
}

void BackgroundProgress::serve(const std::stop_token& stop, MPI_Comm comm) {
  const PriorityChange ahead(PriorityChange::To::ahead_of_computing);
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const Clock::time_point at = next_poll_;
    if (Clock::now() < at) {
      sent_.wait_until(lock, stop, at, [&] { return next_poll_ < at; });
      continue;
    }
    if (moving_ == 0) {
      lock.unlock();
      int has_come = 0;
      // Errors are ignored here: the call that waits gets them again.
      MPI_Iprobe(MPI_ANY_SOURCE, kUnusedTag, comm, &has_come, MPI_STATUS_IGNORE);
      lock.lock();
    }
    const Clock::time_point now = Clock::now();
    next_poll_ = now + std::clamp<Clock::duration>(now - sent_at_, kShortestPause, longest_pause_);
  }
}

}  // namespace epochcast::real
