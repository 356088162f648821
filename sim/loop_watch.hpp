// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/fabric.hpp"
#include "core/random.hpp"

namespace epochcast::sim {

/// What a worker has on its meters at the end of an iteration; times as the user sees them.
struct Meters {
  double now_s = 0;
  PhaseTimes phases;
  Traffic traffic;
};

/// What a loop's iterations took in pilot passes: per member the sum of what they added to its
/// meters, and the spread of their durations (means over members).
struct LoopStatistics {
  std::vector<Meters> sum;
  double iterations = 0;
  double sum_s = 0;
  double sum_of_squares = 0;

  [[nodiscard]] double mean_s() const { return sum_s / iterations; }
  [[nodiscard]] double deviation_s() const;
};

/// Watches one Fabric::repeat() loop of a communicator and decides when the rest of it need not be
/// run.
///
/// Without noise: as soon as two successive iterations took every member the same time λ, all later
/// ones do.
/// With noise: after a fixed number of iterations; the remaining n take n·μ + √(n + n²/N)·σ·z with
/// one standard normal draw z: the central limit theorem for independent iterations, and the error
/// of a mean over N of them. μ and σ come from N iterations of pilot passes and are the same in
/// every repetition of one session.
class LoopWatch {
 public:
  struct Rule {
    bool is_noisy = false;
    std::int64_t sampled = 0;  ///< iterations to run when noisy
    std::uint64_t seed = 0;
    LoopStatistics* pilot = nullptr;  ///< noisy: adds the iterations that were run
    const LoopStatistics* known =
        nullptr;  ///< noisy: where μ and σ come from; null: this loop's own iterations
  };

  LoopWatch(int members, std::int64_t count, const Rule& rule);

  /// Whether members have to wait for a verdict after this many iterations.
  [[nodiscard]] bool looks_after(std::int64_t iterations) const;
  /// Reports a member's meters after `iterations`. Returns whether it was the last member: the
  /// verdict is in.
  bool report(int member, std::int64_t iterations, const Meters& meters);

  /// Iterations that need not be run, after the last verdict.
  [[nodiscard]] std::int64_t omitted() const { return omitted_; }
  /// What the omitted iterations would have added to a member's meters.
  [[nodiscard]] Meters owed(int member) const;
  /// Iterations after which the verdict came; 0 before.
  [[nodiscard]] std::int64_t settled_after() const { return settled_after_; }
  /// Whether iterations before the verdict were unlike those after it.
  [[nodiscard]] bool has_transient() const { return has_transient_; }

  std::vector<int> waiting;  ///< ranks that sleep until the verdict
  int left = 0;              ///< members that have left the loop

 private:
  void judge_steady(std::int64_t iterations);
  void judge_noisy(std::int64_t iterations);

  std::int64_t count_;
  Rule rule_;
  int reported_ = 0;
  std::vector<std::vector<Meters>> history_;  ///< by member, by iterations run
  LoopStatistics statistics_;                 ///< what omitted iterations are like
  std::int64_t omitted_ = 0;
  double omitted_s_ = 0;
  std::int64_t settled_after_ = 0;
  bool has_transient_ = false;
};

}  // namespace epochcast::sim
