// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "core/fabric.hpp"
#include "real/mpi/priority_change.hpp"

namespace epochcast::real {

/// A collective in progress, with its times in seconds on the fabric's clock.
class StreamOperation : public Operation {
 public:
  const char* name = "";                      ///< on the timeline
  std::function<void(StreamOperation&)> run;  ///< sets start_s
  double start_s = 0;  ///< arrival of the last member; earlier time is blocked
  double end_s = 0;
  Traffic sent;    ///< by this worker, once it has run
  int stream = 0;  ///< of its worker
  bool is_done = false;
  std::exception_ptr error;
};

/// Executes the collectives of one worker in the order of their start: in the caller's thread if no
/// other one is in progress, else in the stream's own thread, which is started on first use.
class MessageStream {
 public:
  /// `now_s`: the fabric's clock; may be called from any thread. `is_on_busy_cores`: computing
  /// during operations uses the cores of the stream's thread.
  MessageStream(std::function<double()> now_s, bool is_on_busy_cores)
      : now_s_(std::move(now_s)), is_on_busy_cores_(is_on_busy_cores) {}
  ~MessageStream();
  MessageStream(const MessageStream&) = delete;
  MessageStream& operator=(const MessageStream&) = delete;

  /// Runs the operation now and returns when it and all before it are done.
  void run(const std::shared_ptr<StreamOperation>& operation);
  /// Starts the operation and returns.
  void start(const std::shared_ptr<StreamOperation>& operation);
  /// Returns when the operation is done; rethrows its exception.
  void wait(StreamOperation& operation);
  /// Whether the calling operation has to sleep while it waits, to leave cores to computing
  /// threads: in the stream's own thread on busy cores, unless another thread waits for it.
  [[nodiscard]] bool has_to_sleep() const { return is_beside_computing() && waiting_ == 0; }
  /// Whether it is in the stream's own thread on busy cores.
  [[nodiscard]] bool is_beside_computing() const {
    return is_on_busy_cores_ && std::this_thread::get_id() == thread_.get_id();
  }
  /// For operations that have to sleep, but cannot: while it lives, the stream's thread has the
  /// priority of computing threads.
  [[nodiscard]] std::unique_ptr<PriorityChange> beside_computing() const {
    return has_to_sleep() ? std::make_unique<PriorityChange>(PriorityChange::To::beside_computing)
                          : nullptr;
  }

 private:
  void serve();
  void execute(StreamOperation& operation);

  std::function<double()> now_s_;
  bool is_on_busy_cores_;
  std::atomic<int> waiting_ = 0;  ///< threads that wait for an operation and do not compute
  std::mutex mutex_;
  std::condition_variable has_work_;
  std::condition_variable is_done_;
  std::deque<std::shared_ptr<StreamOperation>> queue_;  ///< the first one is being executed
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace epochcast::real
