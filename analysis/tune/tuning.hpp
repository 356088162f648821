// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/curve_comparison.hpp"
#include "core/formats/learning_metric.hpp"

namespace epochcast {

/// A combination of settings to choose from, with its forecast.
struct Candidate {
  std::string name;         ///< "averaging-period 8"
  double epoch_s = 0;       ///< mean over the job's epochs
  double s_per_sample = 0;  ///< of training, by all workers together
  /// Candidates of a family differ only in how often they average.
  std::size_t family = 0;
  double period = 1;  ///< iterations between averagings
  bool is_default = false;
  RunningCosts running = {};      ///< of its cluster
  std::int64_t test_samples = 0;  ///< behind its accuracy
  std::int64_t classes = 0;       ///< of its data set; 0: its samples are not of classes
};

/// The goal of a tuner: one of the two.
struct TuningGoal {
  std::optional<LearningTarget> target;  ///< minimise the seconds to it, within at most most_s
  double most_s = 0;  ///< maximise the curves' main metric within these simulated seconds
};

struct TuningPlan {
  TuningGoal goal;
  int seeds = 3;
  double confidence = 0.95;  ///< of every test: that one is worse, that something was learned
};

/// The outcome of a candidate.
struct CandidateOutcome {
  enum class Fate { dominated, given_up, diverged, finalist };
  Fate fate = Fate::finalist;
  std::string reason;         ///< for being dominated or given up
  std::vector<Curve> curves;  ///< by seed, of the first ones; empty when it was not rehearsed
  /// How many times as long as the one ahead it needs, when it was given up without the target or
  /// the end of the time with any seed; see stretch_of(). Absent: it was not.
  std::optional<double> stretch;
  std::optional<double> mean;  ///< over seeds, of the objective: see Tuning
  double deviation = 0;        ///< over seeds
  int seeds_there = 0;         ///< that reached the target

  /// Seconds of training of its longest curve.
  [[nodiscard]] double rehearsed_s() const;
};

/// A point of the Pareto front of time and learning: no other is faster and as good.
struct FrontPoint {
  std::size_t candidate = 0;
  double seconds = 0;
  double value = 0;  ///< of the metric, mean over seeds
};

/// The result of a tuner, the first of these that holds.
enum class Verdict {
  nothing_learned,  ///< no accuracy is significantly above chance
  not_reached,      ///< no candidate reached the target with every seed
  no_difference,    ///< the best is not significantly better than every other one
  recommended       ///< the best
};

/// "nothing learned", "target not reached", "no difference", "recommended".
[[nodiscard]] std::string_view to_string(Verdict verdict);

/// A test of the best accuracy against that of guessing (p_of_chance), its p times the number of
/// candidates that were rehearsed (Bonferroni's correction).
struct ChanceTest {
  std::size_t candidate = 0;
  double accuracy = 0;  ///< in its last test, mean over seeds
  double p = 1;
};

/// The result. The objective is the seconds to the target, or the metric after most_s.
struct Tuning {
  Metric metric = Metric::accuracy;        ///< the target's, or the main metric of the curves
  std::vector<CandidateOutcome> outcomes;  ///< by candidate
  Verdict verdict = Verdict::not_reached;
  std::optional<ChanceTest> chance;  ///< absent if the metric or the data set have no such level
  /// By the mean of the objective; recommended or not. Absent: none reached the target with every
  /// seed.
  std::optional<std::size_t> best;
  std::vector<std::size_t> tied;         ///< not significantly worse than the best
  std::optional<std::size_t> runner_up;  ///< the one with the lowest confidence that the best is
                                         ///< better
  /// Confidence that the best is better than the runner-up: 1 - p of a paired t test over the seeds
  /// of both, or, with one seed, of Fisher's exact test of both accuracies at the last common time.
  /// Absent without a runner-up. A seed that has not reached the target counts as if it reached it
  /// when it was given up.
  std::optional<double> confidence;
  std::vector<FrontPoint> front;
  double rehearsed_s = 0;   ///< simulated seconds of all candidates and seeds
  double exhaustive_s = 0;  ///< of all of them to the end, in whole epochs
};

/// A rehearsal of a candidate with a seed, counted from 0.
struct Trial {
  std::size_t candidate = 0;
  int seed = 0;
};

/// Rehearses until each has trained for `until_s` (whole epochs), or reached the target; returns
/// the curves. A curve that diverged is empty.
using RehearseTo =
    std::function<std::vector<Curve>(const std::vector<Trial>& trials, double until_s)>;

/// Chooses among candidates in a race (Maron and Moore, NIPS 1993; with seeds as blocks: F-Race,
/// Birattari et al., GECCO 2002). All are rehearsed with the first seed, for an epoch of the
/// fastest, then for longer and longer. After each step their curves are extrapolated
/// (stretch_of()), and candidates are given up that are better than the one ahead with a
/// probability of less than 1 - confidence. Those that are left are rehearsed with the second seed,
/// and so on. So a bad candidate costs some epochs with one seed, and only those that seeds have to
/// distinguish are rehearsed with every seed. Where the one ahead fails in the end, those that were
/// given up for it are back.
///
/// Before the rehearsals, candidates are left out that average more rarely than another one of
/// their family and take as long per sample. The default is given up as others are.
///
/// Tests decide whether the best is recommended: see Verdict, and "When nothing is recommended"
/// in docs/rehearsals.md.
[[nodiscard]] Tuning tune(const std::vector<Candidate>& candidates,
                          const TuningPlan& plan,
                          const RehearseTo& rehearse);

}  // namespace epochcast
