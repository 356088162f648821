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

/// What iterations of a loop took that were run: per member the sum of what they added to its
/// meters, and of each one how long it took (the mean over members).
struct LoopStatistics {
  std::vector<Meters> sum;
  std::vector<double> durations_s;
  std::size_t run = 1;  ///< so many followed each other: whole runs of them

  void add(const LoopStatistics& more);
};

/// Watches one Fabric::repeat() loop of a communicator and decides when the rest of it need not be
/// run.
///
/// Without noise, an iteration takes the members' clocks x to f(x) with f(x + λ) = f(x) + λ:
/// nothing in it depends on the hour. Once it has taken every clock forward by one and the same λ,
/// the next one must, if it does the same work. That is checked: two successive iterations have
/// added the same to every meter of every member, and no member has announced a change since the
/// last one began. Until that holds, iterations are run, if need be to the end.
///
/// With noise, after a fixed number of iterations: each of the n that remain takes as long as one
/// of N that were observed in pilot passes, drawn with replacement in the runs in which they were
/// observed (a block bootstrap: what slows one down lasts). Repetitions first redraw the N
/// themselves, since that these N were observed was chance, too: a variance of n²/N beside the n of
/// the draws. No skew is lost, and nothing takes less than n times the least that was observed.
class LoopWatch {
 public:
  struct Rule {
    bool is_noisy = false;
    std::int64_t sampled = 0;  ///< noisy: iterations to run
    /// Noisy: the rest is like the last iteration that was run; those before have led to it. Where
    /// changes are announced it is the third one at least.
    bool is_like_last = false;
    std::uint64_t seed = 0;
    LoopStatistics* pilot = nullptr;        ///< noisy: gets the iterations that were run, and tells
    const LoopStatistics* known = nullptr;  ///< noisy: what pilots have observed
  };

  LoopWatch(int members, std::int64_t count, const Rule& rule);

  /// Whether members have to wait for a verdict after this many iterations.
  [[nodiscard]] bool looks_after(std::int64_t iterations) const;
  /// Reports a member's meters after `iterations`, and whether it has announced a change in the
  /// last of them. `may_omit`: whether the loop's links are free; while others use them, the
  /// verdict is postponed. Returns whether it was the last member: the verdict is in.
  bool report(int member,
              std::int64_t iterations,
              const Meters& meters,
              bool has_changed,
              bool may_omit = true);

  /// Iterations that need not be run, after the last verdict.
  [[nodiscard]] std::int64_t omitted() const { return omitted_; }
  /// What the omitted iterations would have added to a member's meters.
  [[nodiscard]] Meters owed(int member) const;
  /// Iterations after which the verdict came; 0 before.
  [[nodiscard]] std::int64_t settled_after() const { return settled_after_; }
  /// Whether iterations before the verdict were unlike those after it: changes were announced, or
  /// the first one took longer or shorter by more than noise could leave unnoticed.
  [[nodiscard]] bool has_transient() const { return has_transient_; }

  std::vector<int> waiting;  ///< ranks that sleep until the verdict
  int left = 0;              ///< members that have left the loop

 private:
  /// What a member has reported.
  struct Member {
    Meters counted_from;              ///< its meters when iterations began to count
    Meters now;                       ///< its meters after the last iteration
    Meters first, before_last, last;  ///< what these iterations have added
  };

  void postpone(std::int64_t iterations);
  void judge_steady(std::int64_t iterations);
  void judge_last(std::int64_t iterations);
  void judge_sampled(std::int64_t iterations);
  void omit_like_last(std::int64_t iterations);

  std::int64_t count_;
  Rule rule_;
  /// Iterations from which nothing follows for the others: the first one begins with everybody in
  /// step, as no other does, and others may use the links of those before the verdict was
  /// postponed.
  std::int64_t uncounted_ = 0;
  std::int64_t looks_from_ = 3;  ///< without noise: the first verdict
  std::int64_t busy_until_ = 0;  ///< without noise: iterations after which others used the links
  int reported_ = 0;
  std::int64_t last_change_ = 0;  ///< the last iteration in which any was announced
  std::vector<Member> members_;
  std::vector<double> durations_s_;  ///< noisy: of the iterations that count, means over members
  std::vector<Meters> sum_;          ///< by member, of the iterations to infer from
  double summed_ = 0;                ///< how many these are
  std::int64_t omitted_ = 0;
  double omitted_s_ = 0;
  std::int64_t settled_after_ = 0;
  bool has_transient_ = false;
};

}  // namespace epochcast::sim
