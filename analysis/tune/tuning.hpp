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

/// A setting of a job that a tuner may choose, and what a forecast says of it.
struct Candidate {
  std::string name;         ///< "averaging-period 8"
  double epoch_s = 0;       ///< mean over the job's epochs
  double s_per_sample = 0;  ///< of training, by all workers together
  /// Who shares a family differs in how often it averages only.
  std::size_t family = 0;
  double period = 1;  ///< iterations between averagings
  bool is_default = false;
  RunningCosts running = {};      ///< of its cluster
  std::int64_t test_samples = 0;  ///< that its accuracy is of
  std::int64_t classes = 0;       ///< of its data set; 0: its samples are not of classes
};

/// What is asked of a tuner: one of the two.
struct TuningGoal {
  std::optional<LearningTarget> target;  ///< minimise the seconds to it, within at most most_s
  double most_s = 0;  ///< learn the most, by the curves' main metric, in so many simulated seconds
};

struct TuningPlan {
  TuningGoal goal;
  int seeds = 3;
  double eta = 3;            ///< a rung has so many times the seconds of the one before
  double confidence = 0.95;  ///< of every test: that one is worse, that something was learned
};

/// What became of a candidate.
struct CandidateOutcome {
  enum class Fate { dominated, given_up, diverged, finalist };
  Fate fate = Fate::finalist;
  std::string reason;          ///< of being dominated or given up
  std::vector<Curve> curves;   ///< by seed; empty when it was not rehearsed
  double until_s = 0;          ///< simulated seconds that every seed was rehearsed for
  std::optional<double> mean;  ///< over seeds, of the objective: see Tuning
  double deviation = 0;        ///< over seeds
  int seeds_there = 0;         ///< that reached the target within until_s
};

/// A point of the front of time and learning: nothing is faster and as good.
struct FrontPoint {
  std::size_t candidate = 0;
  double seconds = 0;
  double value = 0;  ///< of the metric, mean over seeds
};

/// What a tuner has to say, by the first of these that holds.
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
  Metric metric = Metric::accuracy;        ///< the target's, or what tells most of the curves
  std::vector<CandidateOutcome> outcomes;  ///< by candidate
  Verdict verdict = Verdict::not_reached;
  std::optional<ChanceTest> chance;  ///< absent where the metric or the data set have no such level
  /// By the mean of the objective; recommended or not. Absent: none reached the target with every
  /// seed.
  std::optional<std::size_t> best;
  std::vector<std::size_t> tied;         ///< that the best is not significantly better than
  std::optional<std::size_t> runner_up;  ///< that the best is the least surely better than
  /// That the best is better than the runner-up: 1 - p of a paired t test over seeds, or, with one
  /// seed, of Fisher's exact test of both accuracies when they were last comparable. Absent without
  /// a runner-up. Who was not at the target when the race ended, with some seed, counts as if it
  /// had been there then.
  std::optional<double> confidence;
  std::vector<FrontPoint> front;
  double rehearsed_s = 0;   ///< simulated seconds of all candidates and seeds
  double exhaustive_s = 0;  ///< what all of them to the end would have been, in whole epochs
};

/// Rehearses candidates for all seeds until each has trained for `until_s` (whole epochs), or
/// reached the target; gives their curves by candidate and seed. A curve that diverged is empty.
using RehearseTo = std::function<std::vector<std::vector<Curve>>(
    const std::vector<std::size_t>& candidates, double until_s)>;

/// Chooses among candidates by successive halving (Jamieson and Talwalkar, AISTATS 2016; Li et al.,
/// JMLR 18, 2018) with the cluster's seconds as the resource: all are rehearsed for a little, the
/// best 1/eta for eta times as long, and so on up to most_s. As in Hyperband's longest bracket,
/// there are as many rungs as leave the first one an epoch of the fastest candidate.
///
/// Unlike there, nobody is given up who might as well be the best: beside the best 1/eta by the
/// metric, all stay whose test loss is not significantly above that of the first one. (Accuracies
/// of a small test set tell little at the beginning of learning, and what they tell is misleading:
/// who is at 18 % first need not be at 40 % first.) Significant is what F-Race calls so (Birattari
/// et al., GECCO 2002): seeds are blocks, and losses are ranked within each; some settings' losses
/// differ a hundred times as much as others'. The comparison is one-sided and not corrected for how
/// many there are. With one seed, nothing but the best 1/eta stays.
///
/// Before anything is rehearsed, candidates are left out that average more rarely than another one
/// of their family and take as long per sample: they gain nothing. The default is rehearsed to the
/// end, to be compared with.
///
/// With a target, the race ends soon after a candidate has reached it with every seed (each third
/// of a rung, of its logarithm): whoever has not by then is given up.
///
/// Whether the best is recommended is a matter of tests: see Verdict, and "When nothing is
/// recommended" in docs/rehearsals.md.
[[nodiscard]] Tuning tune(const std::vector<Candidate>& candidates,
                          const TuningPlan& plan,
                          const RehearseTo& rehearse);

}  // namespace epochcast
