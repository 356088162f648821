// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

namespace epochcast::real {

/// Makes MPI progress while its ranks compute.
///
/// Open MPI moves data only inside MPI calls. A send may be complete for its rank while its last
/// bytes still wait for room in the socket: if the rank then computes for a second, the receiver
/// waits for a second. Messages of NCCL, of Gloo and of the simulator go on while their sender
/// computes. This thread polls MPI: often shortly after a send, rarely later if the cores compute,
/// since each poll then costs a computing thread on the same core a tenth of a millisecond, with
/// its effect on caches; and never while another thread of the rank moves messages.
class BackgroundProgress {
 public:
  /// While it lives, its owner moves the rank's messages; its end counts as a send. Without a
  /// BackgroundProgress (null): no effect.
  class Moving {
   public:
    explicit Moving(BackgroundProgress* progress);
    ~Moving();
    Moving(const Moving&) = delete;
    Moving& operator=(const Moving&) = delete;

   private:
    BackgroundProgress* progress_;
  };

  /// The longest pause between two polls. A large message needs one for each piece that its socket
  /// takes.
  static constexpr std::chrono::milliseconds kPauseBesideComputing{20};
  static constexpr std::chrono::milliseconds kPauseOnIdleCores{1};

  /// `comm`: its errors must be returned; none of its messages may have the tag kUnusedTag.
  BackgroundProgress(MPI_Comm comm, std::chrono::milliseconds longest_pause);

  /// Notes that messages were sent or requested until now.
  void note_send();

  static constexpr int kUnusedTag = 9;

 private:
  using Clock = std::chrono::steady_clock;

  void serve(const std::stop_token& stop, MPI_Comm comm);
  void poll_soon();  ///< with the mutex locked

  const Clock::duration longest_pause_;
  std::mutex mutex_;
  std::condition_variable_any sent_;
  Clock::time_point sent_at_ = Clock::now();
  Clock::time_point next_poll_;
  int moving_ = 0;
  std::jthread thread_;  ///< last: it uses the others
};

}  // namespace epochcast::real
