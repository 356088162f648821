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

/// A collective on its way: what it does, and when it did. Seconds on the fabric's clock.
class StreamOperation : public Operation {
 public:
  const char* name = "";                      ///< on the timeline
  std::function<void(StreamOperation&)> run;  ///< sets start_s
  double start_s = 0;  ///< when the last member had arrived: before it we were blocked
  double end_s = 0;
  bool is_done = false;
  std::exception_ptr error;
};

/// Executes the collectives of one worker in the order of their start: in the caller's thread when
/// nothing else is under way, else in a thread of its own, which is started when first needed.
class MessageStream {
 public:
  /// `now_s`: the fabric's clock; may be called from any thread. `is_on_busy_cores`: what computes
  /// while operations are under way does so on the cores that the stream's thread needs.
  MessageStream(std::function<double()> now_s, bool is_on_busy_cores)
      : now_s_(std::move(now_s)), is_on_busy_cores_(is_on_busy_cores) {}
  ~MessageStream();
  MessageStream(const MessageStream&) = delete;
  MessageStream& operator=(const MessageStream&) = delete;

  /// Runs the operation now and returns when it and all before it are done.
  void run(const std::shared_ptr<StreamOperation>& operation);
  /// Lets the operation run while the caller goes on.
  void start(const std::shared_ptr<StreamOperation>& operation);
  /// Returns when the operation is done; rethrows what it threw.
  void wait(StreamOperation& operation);
  /// Whether the caller, an operation, has to sleep while it waits, for others to compute: in the
  /// stream's own thread on busy cores, as long as nobody waits for it.
  [[nodiscard]] bool has_to_sleep() const { return is_beside_computing() && waiting_ == 0; }
  /// Whether it is in the stream's own thread on busy cores.
  [[nodiscard]] bool is_beside_computing() const {
    return is_on_busy_cores_ && std::this_thread::get_id() == thread_.get_id();
  }
  /// For operations that have to sleep, but cannot: while this lives, the stream's thread is not
  /// preferred to those that compute.
  [[nodiscard]] std::unique_ptr<PriorityChange> beside_computing() const {
    return has_to_sleep() ? std::make_unique<PriorityChange>(PriorityChange::To::beside_computing)
                          : nullptr;
  }

 private:
  void serve();
  void execute(StreamOperation& operation);

  std::function<double()> now_s_;
  bool is_on_busy_cores_;
  std::atomic<int> waiting_ = 0;  ///< for an operation: they do not compute
  std::mutex mutex_;
  std::condition_variable has_work_;
  std::condition_variable is_done_;
  std::deque<std::shared_ptr<StreamOperation>> queue_;  ///< the first one is being executed
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace epochcast::real
