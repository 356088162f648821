// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

namespace epochcast::real {

/// Lets MPI go on while its ranks compute.
///
/// Open MPI moves data only inside MPI calls. A send may be complete for its rank while its end
/// still waits for room in the socket: should the rank now compute for a second, the receiver waits
/// for a second. A simulated message does not stop because its sender computes, nor does one of
/// NCCL or Gloo. This thread calls MPI now and then: often soon after messages were sent, when
/// something may be left, and rarely later, since who computes on the same core loses a tenth of a
/// millisecond each time, what its caches held included; and not while another thread of the rank
/// moves messages itself.
class BackgroundProgress {
 public:
  /// While it lives, whoever made it moves the rank's messages on; they were sent when it ends.
  /// Without a BackgroundProgress (null): nothing.
  class Moving {
   public:
    explicit Moving(BackgroundProgress* progress);
    ~Moving();
    Moving(const Moving&) = delete;
    Moving& operator=(const Moving&) = delete;

   private:
    BackgroundProgress* progress_;
  };

  /// `comm`: whose errors are returned; no message of it may have the tag kUnusedTag.
  explicit BackgroundProgress(MPI_Comm comm);

  /// Messages were sent, or asked for, until now.
  void messages_were_sent();

  static constexpr int kUnusedTag = 9;

 private:
  using Clock = std::chrono::steady_clock;

  void serve(const std::stop_token& stop, MPI_Comm comm);
  void look_soon();  ///< with the mutex locked

  std::mutex mutex_;
  std::condition_variable_any sent_;
  Clock::time_point sent_at_ = Clock::now();
  Clock::time_point next_look_;
  int moving_ = 0;
  std::jthread thread_;  ///< last: it uses the others
};

}  // namespace epochcast::real
