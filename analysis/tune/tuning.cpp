// SPDX-License-Identifier: Apache-2.0
#include "analysis/tune/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/tune/race.hpp"
#include "analysis/tune/seed_statistics.hpp"
#include "base/statistics/spread.hpp"

namespace epochcast {
namespace {

using Fate = CandidateOutcome::Fate;

/// Tests and sums of a race.
class Judge {
 public:
  Judge(const std::vector<Candidate>& candidates, const TuningPlan& plan, Race race)
      : candidates_(candidates), plan_(plan), race_(std::move(race)) {
    tuning_.metric = race_.metric;
    tuning_.outcomes = std::move(race_.outcomes);
  }

  Tuning run() {
    judge();
    test_against_chance();
    tuning_.verdict = verdict();
    find_front();
    account();
    return std::move(tuning_);
  }

 private:
  CandidateOutcome& outcome(std::size_t index) { return tuning_.outcomes[index]; }

  /// Seconds to the target by seed; for seeds that did not reach it: the rehearsed time, a lower
  /// bound.
  [[nodiscard]] std::vector<double> seconds_of(std::size_t index) const {
    const CandidateOutcome& one = tuning_.outcomes[index];
    std::vector<double> seconds;
    seconds.reserve(one.curves.size());
    for (const Curve& curve : one.curves) {
      seconds.push_back(seconds_to(curve, *plan_.goal.target).value_or(curve.back().training_s));
    }
    return seconds;
  }

  [[nodiscard]] std::vector<double> values_of(std::size_t index, double seconds) const {
    return values_after(tuning_.outcomes[index], tuning_.metric, seconds);
  }

  /// By seed: see Tuning.
  [[nodiscard]] std::vector<double> objectives_of(std::size_t index) const {
    return plan_.goal.target ? seconds_of(index) : values_of(index, plan_.goal.most_s);
  }
  /// The larger the better.
  [[nodiscard]] std::vector<double> merits_of(std::size_t index) const {
    std::vector<double> merits = objectives_of(index);
    if (plan_.goal.target || tuning_.metric != Metric::accuracy) {
      for (double& merit : merits) merit = -merit;
    }
    return merits;
  }

  void judge() {
    for (const std::size_t index : rehearsed())
      outcome(index).seeds_there = seeds_there(outcome(index));
    for (const std::size_t index : rehearsed()) {
      const bool is_final = std::ranges::count(race_.finalists, index) > 0;
      if (!is_final && outcome(index).seeds_there < plan_.seeds) continue;
      const std::vector<double> objectives = objectives_of(index);
      outcome(index).mean = mean_of(objectives);
      outcome(index).deviation = deviation_of(objectives);
      if (!is_final) continue;
      if (!tuning_.best || mean_of(merits_of(index)) > mean_of(merits_of(*tuning_.best)))
        tuning_.best = index;
    }
    if (!tuning_.best) return;
    for (const std::size_t index : compared()) {
      if (index == *tuning_.best) continue;
      const double confidence = confidence_against(index);
      if (confidence < plan_.confidence) tuning_.tied.push_back(index);
      if (tuning_.runner_up && confidence >= *tuning_.confidence) continue;
      tuning_.runner_up = index;
      tuning_.confidence = confidence;
    }
  }

  /// Candidates for comparison with the best: those with several seeds, as the race has compared
  /// the rest; with one seed, all that were rehearsed, since the race knows nothing of other seeds.
  [[nodiscard]] std::vector<std::size_t> compared() const {
    std::vector<std::size_t> some = rehearsed();
    if (plan_.seeds > 1)
      std::erase_if(some,
                    [&](std::size_t index) { return tuning_.outcomes[index].curves.size() < 2; });
    return some;
  }

  [[nodiscard]] int seeds_there(const CandidateOutcome& one) const {
    if (!plan_.goal.target) return 0;
    return static_cast<int>(
        std::count_if(one.curves.begin(), one.curves.end(), [&](const Curve& curve) {
          const std::optional<double> seconds = seconds_to(curve, *plan_.goal.target);
          return seconds && *seconds <= plan_.goal.most_s;
        }));
  }

  [[nodiscard]] std::vector<std::size_t> rehearsed() const {
    std::vector<std::size_t> indices;
    for (std::size_t index = 0; index < candidates_.size(); ++index) {
      const CandidateOutcome& one = tuning_.outcomes[index];
      if (!one.curves.empty() && one.fate != Fate::diverged) indices.push_back(index);
    }
    return indices;
  }

  /// Confidence that the best is better than another one.
  [[nodiscard]] double confidence_against(std::size_t other) const {
    const std::size_t best = *tuning_.best;
    if (plan_.seeds > 1) {
      const std::vector<double> others = merits_of(other);
      std::vector<double> own = merits_of(best);
      own.resize(others.size());
      return confidence_of_more(own, others);
    }
    constexpr double kUnknown = 0.5;
    if (tuning_.metric != Metric::accuracy) return kUnknown;
    const double until_s = std::min(
        tuning_.outcomes[other].rehearsed_s(),
        plan_.goal.target ? objectives_of(best).front() : tuning_.outcomes[best].rehearsed_s());
    return confidence_of_more_correct(values_of(best, until_s).front(),
                                      values_of(other, until_s).front(),
                                      candidates_[best].test_samples);
  }

  void test_against_chance() {
    if (tuning_.metric != Metric::accuracy) return;
    const std::vector<std::size_t> tried = rehearsed();
    std::optional<ChanceTest> highest;
    for (const std::size_t index : tried) {
      std::vector<double> accuracies;
      for (const Curve& curve : outcome(index).curves)
        accuracies.push_back(value_of(curve.back(), Metric::accuracy).value_or(0));
      const double accuracy = mean_of(accuracies);
      const bool is_wanted =
          tuning_.best ? index == *tuning_.best : !highest || accuracy > highest->accuracy;
      if (is_wanted) highest = {.candidate = index, .accuracy = accuracy};
    }
    if (!highest) return;
    const Candidate& one = candidates_[highest->candidate];
    if (one.classes < 2 || one.test_samples < 1) return;
    highest->p = std::min(1.0,
                          static_cast<double>(tried.size()) *
                              p_of_chance(highest->accuracy, one.test_samples, one.classes));
    tuning_.chance = highest;
  }

  [[nodiscard]] Verdict verdict() const {
    if (tuning_.chance && tuning_.chance->p > 1 - plan_.confidence) return Verdict::nothing_learned;
    if (!tuning_.best) return Verdict::not_reached;
    return tuning_.tied.empty() ? Verdict::recommended : Verdict::no_difference;
  }

  void find_front() {
    std::vector<FrontPoint> points;
    for (std::size_t index = 0; index < candidates_.size(); ++index) {
      const std::vector<Curve>& curves = outcome(index).curves;
      if (curves.empty() || outcome(index).fate == Fate::diverged) continue;
      for (const CurvePoint& mean : mean_of(curves)) {
        const std::optional<double> value = value_of(mean, tuning_.metric);
        const bool is_late = plan_.goal.target && mean.training_s > plan_.goal.most_s;
        if (value && std::isfinite(*value) && !is_late)
          points.push_back({.candidate = index, .seconds = mean.training_s, .value = *value});
      }
    }
    std::sort(points.begin(), points.end(), [this](const FrontPoint& a, const FrontPoint& b) {
      if (a.seconds != b.seconds) return a.seconds < b.seconds;
      return is_better(tuning_.metric, a.value, b.value);
    });
    for (const FrontPoint& point : points) {
      const bool is_new = tuning_.front.empty() ||
                          is_better(tuning_.metric, point.value, tuning_.front.back().value);
      if (is_new) tuning_.front.push_back(point);
    }
  }

  void account() {
    for (std::size_t index = 0; index < candidates_.size(); ++index) {
      for (const Curve& curve : outcome(index).curves)
        tuning_.rehearsed_s += curve.empty() ? 0 : curve.back().training_s;
      const double epoch_s = candidates_[index].epoch_s;
      tuning_.exhaustive_s += plan_.seeds * std::ceil(plan_.goal.most_s / epoch_s) * epoch_s;
    }
  }

  const std::vector<Candidate>& candidates_;
  const TuningPlan& plan_;
  Race race_;  ///< its outcomes are in tuning_
  Tuning tuning_;
};

}  // namespace

double CandidateOutcome::rehearsed_s() const {
  double longest_s = 0;
  for (const Curve& curve : curves) {
    if (!curve.empty()) longest_s = std::max(longest_s, curve.back().training_s);
  }
  return longest_s;
}

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::nothing_learned:
      return "nothing learned";
    case Verdict::not_reached:
      return "target not reached";
    case Verdict::no_difference:
      return "no difference";
    case Verdict::recommended:
      return "recommended";
  }
  return "?";
}

Tuning tune(const std::vector<Candidate>& candidates,
            const TuningPlan& plan,
            const RehearseTo& rehearse) {
  return Judge(candidates, plan, race(candidates, plan, rehearse)).run();
}

}  // namespace epochcast
