// SPDX-License-Identifier: Apache-2.0
#include "strategies/progress.hpp"

#include "base/error.hpp"

namespace epochcast {

std::int64_t Progress::enter(std::int64_t count) {
  std::int64_t& before = loops_.empty() ? outermost_ : loops_.back().inner;
  loops_.push_back({.ordinal = before++});
  const std::size_t level = 2 * (loops_.size() - 1);
  if (level >= target_.size()) return 0;
  if (loops_.back().ordinal > target_[level]) refuse_position();
  if (loops_.back().ordinal < target_[level])
    return loops_.back().done = count;  // this loop was complete
  loops_.back().done = target_[level + 1];
  if (loops_.back().done > count) refuse_position();
  if (level + 2 == target_.size()) {
    target_.clear();
    if (reached) reached();
  }
  return loops_.back().done;
}

void Progress::finished(std::int64_t index) {
  finish();
  Loop& loop = loops_.back();
  loop.done = index + 1;
  const bool is_innermost = loop.inner == 0;
  loop.inner = 0;
  if (is_innermost && after_iteration) after_iteration();
}

void Progress::leave() { loops_.pop_back(); }

void Progress::finish() const {
  if (is_resuming()) refuse_position();
}

void Progress::refuse_position() const {
  std::string text;
  for (const std::int64_t number : target_)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  throw RunError(origin_ + ": the job has no position [" + text + "] to continue from");
}

std::vector<std::int64_t> Progress::position() const {
  std::vector<std::int64_t> position;
  for (const Loop& loop : loops_) {
    position.push_back(loop.ordinal);
    position.push_back(loop.done);
  }
  return position;
}

}  // namespace epochcast
