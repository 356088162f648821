// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simgrid/forward.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <simgrid/s4u/Semaphore.hpp>
#include <vector>

#include "core/fabric.hpp"

namespace epochcast::sim {

/// Times that differ by no more than this are equal within rounding. `clock_s` is SimGrid's clock
/// since its start: the resolution of a double falls as the clock grows.
[[nodiscard]] inline double rounding_s(double clock_s) {
  constexpr double kLeast_s = 1e-12;
  constexpr double kRoundings = 16;  // number of additions that lead to a time
  return std::max(kLeast_s, kRoundings * std::numeric_limits<double>::epsilon() * clock_s);
}

/// A worker's own clock and meters.
struct WorkerClock {
  double local_s = 0;    ///< without omitted iterations: comparable between workers
  double skipped_s = 0;  ///< omitted iterations
  double omitted_s = 0;  ///< the part of both that iterations were omitted for
  PhaseTimes phases;
  Traffic traffic;

  [[nodiscard]] double now_s() const { return local_s + skipped_s; }
};

/// The clocks of a job's workers, since the current pass began.
///
/// There are two kinds of clocks. SimGrid's clock advances only in simulated messages. Each worker
/// has its own clock, ahead of SimGrid's: computing and replayed collectives advance only that. A
/// worker's clock is never behind SimGrid's, and all operations that SimGrid has to order are
/// passed to it at the worker's time, by sleep_until().
class Clocks {
 public:
  explicit Clocks(std::size_t workers);

  /// Sets all clocks to zero.
  void begin_pass();

  [[nodiscard]] WorkerClock& of(int rank) { return workers_[static_cast<std::size_t>(rank)]; }
  /// SimGrid's clock when the pass began.
  [[nodiscard]] double origin_s() const { return origin_s_; }
  /// SimGrid's clock since the pass began.
  [[nodiscard]] double simgrid_s() const;
  /// rounding_s() of the current time.
  [[nodiscard]] double rounding_now_s() const;

  /// Lets the calling actor sleep until SimGrid's clock is at `when_s`.
  void sleep_until(double when_s);
  /// Whether sleep_until() was called too late in this pass: a replayed operation should have been
  /// simulated.
  [[nodiscard]] bool was_late() const { return was_late_; }

  /// Lets the calling worker sleep until wake().
  void sleep(int rank);
  void wake(int rank);

 private:
  std::vector<WorkerClock> workers_;
  std::vector<simgrid::s4u::SemaphorePtr> wakes_;
  double origin_s_ = 0;
  bool was_late_ = false;
};

}  // namespace epochcast::sim
