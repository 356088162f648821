// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/shared_numbers.hpp"

namespace epochcast {

/// Where a worker stands in the nested loops of its strategy, so that an interrupted job can go on
/// from there.
///
/// A resumed job runs its strategy from the start, but its loops begin where they were; what lies
/// outside of loops is run again, and `reached` then restores what it has changed. What a strategy
/// has measured or decided, and could not find out again, it keeps in `memory`.
class Progress {
 public:
  /// After every iteration that contains no loop itself.
  std::function<void()> after_iteration;
  /// When a resumed job has come to where it stood.
  std::function<void()> reached;
  /// What survives an interruption, by name.
  std::map<std::string, SharedNumbers> memory;

  /// Enters a loop of `count` iterations; returns the first one to run.
  std::int64_t enter(std::int64_t count);
  /// Iteration `index` is over.
  void finished(std::int64_t index);
  void leave();

  /// For each loop around the current point: how many loops its surrounding iteration has entered
  /// before it, and its iterations that are over.
  [[nodiscard]] std::vector<std::int64_t> position() const;
  /// Lets the loops begin at what position() was.
  void resume_at(std::vector<std::int64_t> position) { target_ = std::move(position); }
  /// Whether loops are still being led to where they were.
  [[nodiscard]] bool is_resuming() const { return !target_.empty(); }

 private:
  struct Loop {
    std::int64_t ordinal = 0;  ///< loops before it in the same iteration of the loop around it
    std::int64_t done = 0;     ///< iterations
    std::int64_t inner = 0;    ///< loops that the current iteration has entered
  };

  std::vector<Loop> loops_;
  std::int64_t outermost_ = 0;  ///< loops entered outside of all others
  std::vector<std::int64_t> target_;
};

}  // namespace epochcast
