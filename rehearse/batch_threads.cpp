// SPDX-License-Identifier: Apache-2.0
#include "rehearse/batch_threads.hpp"

#include <boost/asio/post.hpp>
#include <utility>

namespace epochcast {

BatchThreads::BatchThreads(int count, std::function<void()> begin) : begin_(std::move(begin)) {
  if (count > 1) pool_ = std::make_unique<boost::asio::thread_pool>(count);
}

BatchThreads::~BatchThreads() {
  if (pool_) pool_->join();
}

BatchThreads::Work BatchThreads::start(std::function<void()> work) {
  if (!pool_) return start_here(work);
  auto task = std::make_shared<std::packaged_task<void()>>([this, work = std::move(work)] {
    static thread_local bool has_begun = false;
    if (!std::exchange(has_begun, true)) begin_();
    work();
  });
  std::future<void> result = task->get_future();
  boost::asio::post(*pool_, [task] { (*task)(); });
  return Work(std::move(result));
}

}  // namespace epochcast
