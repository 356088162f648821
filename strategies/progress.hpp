// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/shared_numbers.hpp"

namespace epochcast {

/// The position of a worker in the nested loops of its strategy, to resume an interrupted job.
///
/// A resumed job runs its strategy from the start, but its loops begin at the saved position. Code
/// outside of loops runs again; `reached` then restores the state. A strategy keeps in `memory`
/// its measurements and decisions that cannot be repeated.
class Progress {
 public:
  /// After every iteration that contains no loop itself.
  std::function<void()> after_iteration;
  /// Called when a resumed job has reached the saved position.
  std::function<void()> reached;
  /// Values that are saved in checkpoints, by name.
  std::map<std::string, SharedNumbers> memory;

  /// Enters a loop of `count` iterations; returns the first one to run. Throws a RunError when the
  /// position to resume at lies beyond it.
  std::int64_t enter(std::int64_t count);
  /// Ends iteration `index`. Throws a RunError if the position to resume at was not reached.
  void finished(std::int64_t index);
  void leave();

  /// For each enclosing loop: the number of loops that the surrounding iteration entered before it,
  /// and its completed iterations.
  [[nodiscard]] std::vector<std::int64_t> position() const;
  /// Resumes at a former position(). `origin`: its file, for errors.
  void resume_at(std::vector<std::int64_t> position, std::string origin) {
    target_ = std::move(position);
    origin_ = std::move(origin);
  }
  /// Whether the saved position is not reached yet.
  [[nodiscard]] bool is_resuming() const { return !target_.empty(); }
  /// After the job's last loop: throws a RunError if the saved position was never reached.
  void finish() const;

 private:
  struct Loop {
    std::int64_t ordinal = 0;  ///< loops before it in the same iteration of the loop around it
    std::int64_t done = 0;     ///< iterations
    std::int64_t inner = 0;    ///< loops that the current iteration has entered
  };

  std::vector<Loop> loops_;
  std::int64_t outermost_ = 0;  ///< loops entered outside of all others
  std::vector<std::int64_t> target_;
  std::string origin_;

  [[noreturn]] void refuse_position() const;
};

}  // namespace epochcast
