// SPDX-License-Identifier: Apache-2.0
#include "real/mpi/message_stream.hpp"

#include <optional>

namespace epochcast::real {

MessageStream::~MessageStream() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  has_work_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void MessageStream::execute(StreamOperation& operation) {
  try {
    operation.run(operation);
  } catch (...) {
    operation.error = std::current_exception();
  }
  operation.run = nullptr;
  operation.end_s = now_s_();
}

void MessageStream::run(const std::shared_ptr<StreamOperation>& operation) {
  {
    const std::lock_guard lock(mutex_);
    if (queue_.empty()) operation->is_done = true;  // before other threads may test it
  }
  if (operation->is_done) {
    execute(*operation);
    if (operation->error) std::rethrow_exception(operation->error);
    return;
  }
  start(operation);
  wait(*operation);
}

void MessageStream::start(const std::shared_ptr<StreamOperation>& operation) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(operation);
    if (!thread_.joinable()) thread_ = std::thread([this] { serve(); });
  }
  has_work_.notify_one();
}

void MessageStream::wait(StreamOperation& operation) {
  std::unique_lock lock(mutex_);
  ++waiting_;
  is_done_.wait(lock, [&] { return operation.is_done; });
  --waiting_;
  if (operation.error) std::rethrow_exception(operation.error);
}

void MessageStream::serve() {
  std::optional<PriorityChange> ahead;
  if (is_on_busy_cores_) ahead.emplace(PriorityChange::To::ahead_of_computing);
  std::unique_lock lock(mutex_);
  while (true) {
    has_work_.wait(lock, [&] { return is_ending_ || !queue_.empty(); });
    if (queue_.empty()) return;
    const std::shared_ptr<StreamOperation> operation = queue_.front();
    lock.unlock();
    execute(*operation);
    lock.lock();
    queue_.pop_front();
    operation->is_done = true;
    is_done_.notify_all();
  }
}

}  // namespace epochcast::real
