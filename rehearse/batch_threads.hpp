// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <future>
#include <memory>

namespace epochcast {

/// Threads that compute batches of several workers at a time.
class BatchThreads {
 public:
  /// `count` of 1: work is done by the thread that starts it. `begin`: called once in each thread.
  BatchThreads(int count, std::function<void()> begin);
  ~BatchThreads();
  BatchThreads(const BatchThreads&) = delete;
  BatchThreads& operator=(const BatchThreads&) = delete;

  /// Work under way, which the destructor waits for: it uses variables of the function that started
  /// it.
  class Work {
   public:
    Work() = default;
    explicit Work(std::future<void> result) : result_(std::move(result)) {}
    ~Work() {
      if (result_.valid()) result_.wait();
    }
    Work(Work&&) = default;
    Work& operator=(Work&&) = delete;

    /// Waits for its end, at the first call; throws what it threw.
    void wait() {
      if (result_.valid()) result_.get();
    }

   private:
    std::future<void> result_;
  };

  [[nodiscard]] Work start(std::function<void()> work);
  /// The same, in the calling thread.
  [[nodiscard]] static Work start_here(const std::function<void()>& work) {
    work();
    return {};
  }

 private:
  std::function<void()> begin_;
  std::unique_ptr<boost::asio::thread_pool> pool_;  ///< none for one thread
};

}  // namespace epochcast
