// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/statistics/random.hpp"
#include "core/fabric.hpp"

namespace epochcast::sim {

/// A worker's meters at the end of an iteration; times include omitted iterations.
struct Meters {
  double now_s = 0;
  PhaseTimes phases;
  Traffic traffic;
};

/// Statistics of the iterations of a loop that were run: per member the sum of their meters, and
/// the duration of each (the mean over members).
struct LoopStatistics {
  std::vector<Meters> sum;
  std::vector<double> durations_s;
  std::size_t run = 1;  ///< length of blocks of successive iterations

  void add(const LoopStatistics& more);
};

/// Watches one Fabric::repeat() loop of a communicator and decides when the rest of it can be
/// omitted.
///
/// Without noise, an iteration takes the members' clocks x to f(x) with f(x + λ) = f(x) + λ:
/// nothing depends on absolute time. Once it has advanced every clock by the same λ, so will the
/// next one, if it does the same work. That is checked: two successive iterations have added the
/// same to every meter of every member, and no member has announced a change since the last one
/// began. Until that holds, iterations are run, if need be to the end.
///
/// If its workers take numbers on demand, no iteration equals another: once the mean of those after
/// the first two is known (is_mean_known()), each of the remaining ones takes that time.
///
/// With noise, after a fixed number of iterations: each of the n remaining ones takes as long as
/// one of N that were observed in pilot passes, drawn with replacement in blocks of successive ones
/// (block bootstrap: slowdowns last). Repetitions first redraw the N, which are a sample, too: a
/// variance of n²/N beside the n of the draws. Skew is preserved, and the sum is at least n times
/// the least observed.
class LoopWatch {
 public:
  struct Rule {
    bool is_noisy = false;
    std::int64_t sampled = 0;  ///< noisy: iterations to run
    /// Noisy: the rest equals the last iteration that was run, the third one or a later one after
    /// an announced change.
    bool is_like_last = false;
    std::uint64_t seed = 0;
    LoopStatistics* pilot =
        nullptr;  ///< noisy: gets the statistics of the iterations that were run
    const LoopStatistics* known = nullptr;  ///< noisy: statistics of pilot passes
  };

  LoopWatch(int members, std::int64_t count, const Rule& rule);

  /// Whether members have to wait for a decision after this many iterations.
  [[nodiscard]] bool decides_after(std::int64_t iterations) const;
  /// Reports a member's meters after `iterations`, and whether it has announced a change in the
  /// last of them. `may_omit`: whether the loop's links are free; while others use them, the
  /// decision is postponed. Returns whether it was the last member, so the decision is made.
  bool report(int member,
              std::int64_t iterations,
              const Meters& meters,
              bool has_changed,
              bool may_omit = true);

  /// Without noise: iterations differ, as workers take numbers on demand. Called by each member
  /// before its report() of the first one.
  void expect_differences() { do_differ_ = true; }

  /// Iterations to omit after the last decision.
  [[nodiscard]] std::int64_t omitted() const { return omitted_; }
  /// The contribution of the omitted iterations to a member's meters.
  [[nodiscard]] Meters omitted_meters(int member) const;
  /// Iterations before the decision; 0 if there is none yet.
  [[nodiscard]] std::int64_t settled_after() const { return settled_after_; }
  /// Whether iterations before the decision differ from later ones: changes were announced, or the
  /// first one's duration differs by more than noise.
  [[nodiscard]] bool has_transient() const { return has_transient_; }

  std::vector<int> waiting;  ///< ranks that sleep until the decision
  int left = 0;              ///< members that have left the loop

 private:
  /// The reports of a member.
  struct Member {
    Meters counted_from;              ///< its meters when iterations began to count
    Meters now;                       ///< its meters after the last iteration
    Meters first, before_last, last;  ///< what these iterations have added
  };

  void postpone(std::int64_t iterations);
  void decide_steady(std::int64_t iterations);
  void decide_by_mean(std::int64_t iterations);
  void decide_by_last(std::int64_t iterations);
  void decide_sampled(std::int64_t iterations);
  void omit_like_last(std::int64_t iterations);

  std::int64_t count_;
  Rule rule_;
  /// Iterations not used for extrapolation: the first one, which begins with all members
  /// synchronised, and those before a postponed decision, when others may use the links.
  std::int64_t uncounted_ = 0;
  std::int64_t first_decision_ = 3;  ///< without noise: the first decision
  std::int64_t busy_until_ = 0;  ///< without noise: iterations after which others used the links
  int reported_ = 0;
  std::int64_t last_change_ = 0;  ///< the last iteration in which any was announced
  std::vector<Member> members_;
  std::vector<double> durations_s_;  ///< noisy: of the iterations that count, means over members
  bool do_differ_ = false;
  std::vector<double> differing_s_;  ///< of the iterations after the first two
  std::vector<Meters> sum_;          ///< by member, of the iterations to infer from
  double summed_ = 0;                ///< how many these are
  std::int64_t omitted_ = 0;
  double omitted_s_ = 0;
  std::int64_t settled_after_ = 0;
  bool has_transient_ = false;
};

}  // namespace epochcast::sim
